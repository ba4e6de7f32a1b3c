// Links to groups: an admin makes and revokes them, and decides who may join by them.
import { type AccountId, type ChatId, CodedError, clientLimits, toBase64Url } from '@postern/protocol'
import { formatGroupLink, type GroupLink } from '@postern/protocol/content'
import { writableGroup } from '../chats/members/change-members.ts'
import { type ChatRow, findChat, isAdmin } from '../chats/records/chats.ts'
import { deleteLink, insertLink, type LinkRow, linksOf } from '../chats/records/group-links.ts'
import { noteDeclined, waitingRequests, waitsToJoin } from '../chats/records/join-requests.ts'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'

const TOKEN_BYTES = 16

/** `url`: with the current title of the group. */
export type MadeLink = { token: string; url: string; ts: number }

type Deciding = Pick<Core, 'store' | 'own'>

/** Throws unless this account is an admin of the group. */
function assertAdmin({ store, own }: Deciding, chat: ChatId): ChatRow {
  const row = writableGroup({ store }, chat)
  if (!isAdmin(store, chat, own.id)) throw new CodedError('not-an-admin')
  return row
}

export async function makeLink(
  core: Pick<Core, 'store' | 'own' | 'provider' | 'clock'>,
  chat: ChatId,
): Promise<MadeLink> {
  assertAdmin(core, chat)
  const link = {
    token: toBase64Url(core.provider.randomBytes(TOKEN_BYTES)),
    chat_id: chat,
    made_ms: core.clock.nowMs(),
  }
  await core.store.write(database => {
    // Counted in the transaction: two callers at the same moment must not exceed the limit.
    const max = clientLimits.groupLinksMax
    if (linksOf(database, chat).length >= max) throw new CodedError('group-links-full', { max })
    insertLink(database, link)
  })
  return viewLink(core, link)
}

/** None for a member that is no admin. */
export function madeLinks({ store, own }: Deciding, chat: ChatId): MadeLink[] {
  return isAdmin(store, chat, own.id) ? linksOf(store, chat).map(link => viewLink({ store, own }, link)) : []
}

function viewLink({ store, own }: Deciding, { token, chat_id: chat, made_ms: ts }: LinkRow): MadeLink {
  const link: GroupLink = {
    account: own.id,
    profileKey: own.profileKey,
    token,
    title: findChat(store, chat)?.title ?? '',
  }
  return { token, url: formatGroupLink(own.relayUrl, link), ts }
}

/** Also for an admin who was dismissed: nobody else can revoke it. */
export async function revokeLink({ store }: Pick<Core, 'store'>, chat: ChatId, token: string): Promise<void> {
  const isRevoked = await store.write(database => deleteLink(database, chat, token))
  if (!isRevoked) throw new CodedError('group-link-not-found')
}

/** None for a member that is no admin. */
export const joinRequests = ({ store, own }: Deciding, chat: ChatId) =>
  isAdmin(store, chat, own.id)
    ? waitingRequests(store, chat).map(({ account, ts }) => ({ from: personOf(store, account), ts }))
    : []

/** Throws unless the account waits and this account may decide. */
export function assertWaiting(core: Deciding, chat: ChatId, account: AccountId): void {
  assertAdmin(core, chat)
  if (!waitsToJoin(core.store, chat, account)) throw new CodedError('join-request-not-found', { account })
}

/** A chore sends the answer. The account cannot ask by the same link again. */
export async function declineJoin(
  core: Deciding & Pick<Core, 'wakeChores'>,
  chat: ChatId,
  account: AccountId,
): Promise<void> {
  assertAdmin(core, chat)
  const isNoted = await core.store.write(database => noteDeclined(database, chat, account))
  if (!isNoted) throw new CodedError('join-request-not-found', { account })
  core.wakeChores()
}
