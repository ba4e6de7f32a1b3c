// The link that opens a chat with a bot. Its secrets follow the #, which no browser sends to a server.
import { fromBase64Url, toBase64Url } from '../bytes.ts'
import { CodedError } from '../errors.ts'
import { type AccountId, isAccountId } from '../ids.ts'

export type Invite = { account: AccountId; profileKey: Uint8Array; token: string }

const TOKEN = /^[A-Za-z0-9_-]{22}$/

export function formatInvite(relayUrl: string, invite: Invite): string {
  const page = new URL('/', relayUrl)
  page.protocol = page.protocol.replace('ws', 'http')
  page.hash = `i/${invite.account}/${toBase64Url(invite.profileKey)}/${invite.token}`
  return page.href
}

export function parseInvite(link: string): Invite & { relayUrl: string } {
  const url = URL.canParse(link) ? new URL(link) : undefined
  const [mark, account, key, token, ...rest] = url?.hash.slice(1).split('/') ?? []
  const profileKey = fromBase64Url(key ?? '')
  const isComplete = mark === 'i' && rest.length === 0 && profileKey?.length === 32 && TOKEN.test(token ?? '')
  if (!url || !isComplete || !isAccountId(account ?? '') || !token) throw new CodedError('invite-malformed')
  return { relayUrl: url.origin, account: account as AccountId, profileKey, token }
}
