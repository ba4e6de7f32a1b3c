// The links that open a chat with an account, or ask for a place in a group. Their secrets follow the #, which no
// browser sends to a server.
import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from '../bytes.ts'
import { CodedError } from '../errors.ts'
import { type AccountId, isAccountId } from '../ids.ts'
import { contentLimits } from '../limits.ts'
import { nameFault } from '../rules/line.ts'
import { START_LINK_END } from '../rules/start.ts'

export type Invite = { account: AccountId; profileKey: Uint8Array; token: string }

/** The account is that of an admin of the group. The title is a claim of the person who passes the link on: nobody has signed it. */
export type GroupLink = Invite & { title: string }

type WithRelay = { relayUrl: string }

const TOKEN = /^[A-Za-z0-9_-]{22}$/

/**
 * From 16 random bytes. A start link has the form of any invite link: a client that knows no start links opens the chat
 * by it.
 */
export const startTokenOf = (random: Uint8Array): string => toBase64Url(random).slice(0, 21) + START_LINK_END

const marks = { account: 'i', group: 'g' } as const

export const isLinkToken = (text: string): boolean => TOKEN.test(text)

export const formatInvite = (relayUrl: string, invite: Invite): string =>
  addressOf(relayUrl, [marks.account, ...partsOf(invite)])

export const formatGroupLink = (relayUrl: string, link: GroupLink): string =>
  addressOf(relayUrl, [marks.group, ...partsOf(link), toBase64Url(utf8(link.title))])

const partsOf = ({ account, profileKey, token }: Invite): string[] => [account, toBase64Url(profileKey), token]

function addressOf(relayUrl: string, parts: string[]): string {
  const page = new URL('/', relayUrl)
  page.protocol = page.protocol.replace('ws', 'http')
  page.hash = parts.join('/')
  return page.href
}

export function parseInvite(link: string): Invite & WithRelay {
  const { mark, rest, ...invite } = read(link)
  if (mark !== marks.account || rest.length > 0) throw new CodedError('invite-malformed')
  return invite
}

export function parseGroupLink(link: string): GroupLink & WithRelay {
  const {
    mark,
    rest: [words, ...rest],
    ...invite
  } = read(link)
  const title = titleIn(words ?? '')
  if (mark !== marks.group || rest.length > 0 || title === undefined) throw new CodedError('invite-malformed')
  return { ...invite, title }
}

/** Only what kind of link it is: the rest of it may still be malformed. */
export const isGroupLink = (link: string): boolean =>
  URL.canParse(link) && new URL(link).hash.startsWith(`#${marks.group}/`)

type LinkParts = Invite & WithRelay & { mark: string; rest: string[] }

function read(link: string): LinkParts {
  const url = URL.canParse(link) ? new URL(link) : undefined
  const [mark = '', account = '', key = '', token = '', ...rest] = url?.hash.slice(1).split('/') ?? []
  const profileKey = fromBase64Url(key)
  if (!url || profileKey?.length !== 32 || !isLinkToken(token) || !isAccountId(account))
    throw new CodedError('invite-malformed')
  return { relayUrl: url.origin, account, profileKey, token, mark, rest }
}

/** Undefined unless it could be the title of a group: the link is shown before anybody has vouched for it. */
function titleIn(words: string): string | undefined {
  const bytes = fromBase64Url(words)
  if (!bytes || bytes.length > contentLimits.groupNameCharsMax * 4) return undefined
  try {
    const title = fromUtf8(bytes)
    return nameFault(title, contentLimits.groupNameCharsMax) === undefined ? title : undefined
  } catch {
    return undefined
  }
}
