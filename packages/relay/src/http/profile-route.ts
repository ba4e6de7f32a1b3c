// A profile over HTTP, as the call `getProfile` answers it: whoever has an invite link sees who invites before having an account.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { encodeWith, isAccountId } from '@postern/protocol'
import { calls } from '@postern/protocol/relay'
import { getProfile } from '../accounts/profiles.ts'
import type { RelayContext } from '../context.ts'
import { notFound } from './answer.ts'

const PREFIX = '/profiles/'

export const isProfilePath = (path: string): boolean => path.startsWith(PREFIX)

type Asked = { path: string; address: string }

export async function answerProfile(
  parts: RelayContext,
  { path, address }: Asked,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  // It is sealed, and the key to it stands in the link: the app may come from another origin, also to hear what is wrong.
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Cache-Control', 'no-store')
  const account = path.slice(PREFIX.length)
  if (!isAccountId(account)) return notFound(response)
  chargeProfile(parts, address)
  const body = encodeWith(calls.getProfile.answer, await getProfile(parts, { account }))
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Found or not, so that nobody tries many ids. The address first: one peer must not use up what is there for everybody. */
function chargeProfile({ rates, limits }: RelayContext, address: string): void {
  const what = 'profiles'
  rates.charge(`profile ${address}`, { count: 1, max: limits.profilesPerAddressPerMinute, what })
  rates.charge('profile', { count: 1, max: limits.profilesPerMinute, what })
}
