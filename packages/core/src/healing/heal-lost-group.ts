// Heals groups that this database does not know and in which somebody speaks, as after a restore from a backup.
import type { Notice } from '@postern/bot-api/events'
import {
  type AccountId,
  type ChatId,
  clientLimits,
  type Deadline,
  type GroupId,
  isCoded,
  privateChatId,
} from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import { emitNotice } from '../chats/notices.ts'
import { beyondAll, openPrivateChat } from '../chats/opening/open-chat.ts'
import { findChat, insertChat, replaceMembers, viewChat } from '../chats/records/chats.ts'
import {
  countLostGroups,
  findLostGroup,
  healAgain,
  insertLostGroup,
  type LostGroup,
  noteHealed,
  noteLossTold,
} from '../chats/records/lost-groups.ts'
import { chatOfRefused } from '../chats/records/refusals.ts'
import { groupUnknown, logUnreadable } from '../chats/records/unreadable.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { personOf } from '../identity/people.ts'
import { isBlocked } from '../identity/trust.ts'
import { appendEvent } from '../journal/journal.ts'
import { presentMs } from '../messages/age.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import { askToRejoin, say } from './ask-to-rejoin.ts'

type Reads = Pick<Store, 'get' | 'all'>

/**
 * Somebody speaks in a group that this database does not know, as after a restore from a backup. Only the relay vouches
 * for it, and a stranger that spoils its own welcome looks the same, so a speaker that was not accepted waits as a
 * request.
 */
export function noteLostGroup(
  core: Pick<Core, 'own' | 'acceptRequests' | 'elapsed' | 'log'>,
  database: Database,
  entry: MailboxEntry,
): void {
  const { group, sender: speaker, ts } = entry
  // Not even noted: in a group with others, the next speaker is asked.
  if (isBlocked(database, speaker)) return
  const known = findLostGroup(database, group)
  const refusedIn = entry.kind === 'message' ? chatOfRefused(database, group) : undefined
  const chat = refusedIn ?? privateChatId(speaker)
  // A commit may be the one that adds this account again: its welcome comes next.
  const isHealedInVain = known?.isHealed && entry.kind === 'message' && ts - known.ts >= clientLimits.lostGroupRetryMs
  if (refusedIn || (known?.isHealed && !isHealedInVain)) reportLoss(core, database, { chat, group, speaker, ts })
  if (isHealedInVain) return healAgain(database, { group, speaker, ts })
  if (known) return
  if (countLostGroups(database, speaker) >= clientLimits.lostGroupsPerSpeakerMax)
    return core.log.debug({ kind: 'lost group', group, speaker, reason: 'too many of the speaker' }, 'ignored')
  insertLostGroup(database, { group, speaker, ts })
  if (!isLetIn(core, database, speaker)) showRequest(core, database, { group, speaker, ts })
}

/** The keys may be renewed without asking the owner: the chat was active, or everyone is accepted anyway. */
const isLetIn = ({ acceptRequests }: Pick<Core, 'acceptRequests'>, reads: Reads, speaker: AccountId): boolean =>
  !isBlocked(reads, speaker) &&
  (acceptRequests === 'all' || findChat(reads, privateChatId(speaker))?.state === 'active')

/**
 * Shows the owner that somebody writes who cannot be read. The owner may accept; until then nothing of this account is
 * disclosed.
 */
function showRequest(
  core: Pick<Core, 'own' | 'elapsed'>,
  database: Database,
  { group, speaker, ts }: { group: GroupId; speaker: AccountId; ts: number },
): void {
  const id = privateChatId(speaker)
  if (findChat(database, id)) return
  const settings = { v: 1, type: 'private', generation: 0, timerMs: 0 } as const
  insertChat(database, { id, group_id: group, state: 'request', visible: 1, first_seen_ts: ts }, settings)
  replaceMembers(database, id, { accounts: [core.own.id, speaker], settings })
  const row = findChat(database, id)
  if (row) appendEvent(core, database, { type: 'chat', chat_id: id, chat: viewChat(database, row) })
}

export async function healLost(core: Core, lost: LostGroup, deadline: Deadline): Promise<void> {
  const { group, speaker } = lost
  if (!isLetIn(core, core.store, speaker)) return
  const members = await membersAtRelay(core, group)
  // A welcome into the group may have come meanwhile.
  if (!findLostGroup(core.store, group)) return
  const isPrivate = members.length === 2 && members.includes(speaker)
  const way = isPrivate ? wayToHeal(core, lost) : 'ask'
  if (way === 'open') await openNext(core, speaker, deadline)
  if (way === 'ask' && members.includes(speaker)) await askToRejoin(core, { group, members: [speaker] }, deadline)
  await core.store.write(database => {
    noteHealed(database, group)
    if (!isPrivate) return
    reportLoss(core, database, { chat: privateChatId(speaker), group, speaker, ts: presentMs(core) })
    // The loss of a private chat is reported here; that of a group when this account is added again.
    noteLossTold(database, group)
  })
}

/**
 * A speaker that spoils one welcome after another would make this client open a group for each of them, so it opens one
 * in a period. The speaker may know a higher group than that one: if the speaker is still heard in another group after
 * the opening, this client asks to be added there.
 */
function wayToHeal(core: Pick<Core, 'clock' | 'elapsed' | 'openedFor'>, { speaker, ts }: LostGroup): WayToHeal {
  const openedMs = core.openedFor.get(speaker)
  if (openedMs === undefined || presentMs(core) - openedMs >= clientLimits.healPrivateEveryMs) return 'open'
  return ts > openedMs ? 'ask' : 'none'
}

type WayToHeal = 'open' | 'ask' | 'none'

/** Above the group in force here, however new that is: the speaker may have made another one of the same generation. */
async function openNext(core: Core, speaker: AccountId, deadline: Deadline): Promise<void> {
  const chat = findChat(core.store, privateChatId(speaker))
  const current = (chat && findGroup(core.store, chat.group_id)?.generation) ?? -1
  const atLeast = Math.max(beyondAll(core.clock.nowMs()), current + 1)
  await openPrivateChat(core, { account: speaker }, { deadline, atLeast })
  noteOpened(core, speaker)
  await say(core, privateChatId(speaker), { body: { kind: 'hello' }, deadline })
}

function noteOpened(core: Pick<Core, 'clock' | 'elapsed' | 'openedFor'>, speaker: AccountId): void {
  const nowMs = presentMs(core)
  const { openedFor } = core
  for (const [account, openedMs] of openedFor)
    if (nowMs - openedMs >= clientLimits.healPrivateEveryMs) openedFor.delete(account)
  openedFor.set(speaker, nowMs)
}

/** Empty when the relay says that this account is no member. */
export async function membersAtRelay(core: Pick<Core, 'link'>, group: GroupId): Promise<AccountId[]> {
  try {
    return (await core.link.call('getGroup', { group })).members
  } catch (error) {
    if (isCoded(error, 'group-unknown')) return []
    throw error
  }
}

function reportLoss(
  core: Pick<Core, 'elapsed' | 'log'>,
  database: Database,
  { chat, group, speaker, ts }: { chat: ChatId; group: GroupId; speaker: AccountId; ts: number },
): void {
  if (findChat(database, chat)?.state !== 'active')
    return core.log.debug({ kind: 'undecryptable', chat, speaker, reason: 'the chat is not in use' }, 'ignored')
  logUnreadable(core.log, { ...groupUnknown, chat, group, sender: speaker })
  const notice: Notice = { code: 'undecryptable', from: personOf(database, speaker) }
  emitNotice(core, database, { chat, notice, ts })
}
