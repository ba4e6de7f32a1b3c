// A profile over HTTP, with the answer of the call `getProfile`:
// the holder of an invite link sees who invites before registering.
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
  // The profile is sealed with a key that is in the link.
  // The app may come from another origin, and must be able to read errors too.
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Cache-Control', 'no-store')
  const account = path.slice(PREFIX.length)
  if (!isAccountId(account)) return notFound(response)
  chargeProfile(parts, address)
  const body = encodeWith(calls.getProfile.answer, await getProfile(parts, { account }))
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/**
 * Charges misses too, so that nobody can try many ids.
 * Charges the address first: one peer must not use up the budget of all.
 */
function chargeProfile({ rates, limits }: RelayContext, address: string): void {
  const what = 'profiles'
  rates.charge(`profile ${address}`, { count: 1, max: limits.profilesPerAddressPerMinute, what })
  rates.charge('profile', { count: 1, max: limits.profilesPerMinute, what })
}
