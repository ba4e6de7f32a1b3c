// Chats whose keys are lost: a private chat gets its next generation, in a group another member adds this account anew.
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
import type { KnownBody } from '@postern/protocol/content'
import type { MailboxEntry } from '@postern/protocol/relay'
import { emitNotice } from '../chats/notices.ts'
import { beyondAll, ensurePrivateChat, ensureQuietChat, openPrivateChat } from '../chats/opening/open-chat.ts'
import {
  chatsToAskAdmins,
  forgetAskedBefore,
  hasAskedBefore,
  noteAdminsAsked,
  noteMembersAsked,
  wantAdminsAsked,
} from '../chats/records/asked-rejoins.ts'
import {
  type ChatRow,
  findChat,
  insertChat,
  membersOf,
  otherPerson,
  replaceMembers,
  viewChat,
} from '../chats/records/chats.ts'
import { brokenChats, type ChatGroup } from '../chats/records/chats-by-group.ts'
import {
  askInstead,
  countLostGroups,
  findLostGroup,
  forgetPastLosses,
  hasPastLosses,
  insertLostGroup,
  type LostGroup,
  lostGroupsToHeal,
  noteHealed,
  noteLossTold,
} from '../chats/records/lost-groups.ts'
import { chatOfRefused } from '../chats/records/refusals.ts'
import type { RefusedWelcome } from '../chats/records/refused-welcome.ts'
import { groupUnknown, logUnreadable } from '../chats/records/unreadable.ts'
import type { Core } from '../context.ts'
import { findGroup, type StoredGroup } from '../groups/group-records.ts'
import { personOf } from '../identity/people.ts'
import { isBlocked } from '../identity/trust.ts'
import { appendEvent } from '../journal/journal.ts'
import { presentMs } from '../messages/age.ts'
import { newDraft } from '../outbox/compose.ts'
import { sendContent } from '../outbox/send-content.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

export async function healChats(core: Core, deadline: Deadline): Promise<void> {
  await forgetOld(core)
  const { store } = core
  await forEach(lostGroupsToHeal(store), lost => healLost(core, lost, deadline))
  await forEach(brokenChats(store), chat => healBroken(core, chat, deadline))
  await forEach(chatsToAskAdmins(store), chat => askAdmins(core, chat, deadline))
}

/** Whoever was asked and has not helped by now may not be there any more: it begins anew, with others. */
async function forgetOld({ store, elapsed }: Pick<Core, 'store' | 'elapsed'>): Promise<void> {
  const nowMs = elapsed.nowMs()
  const beforeMs = nowMs - clientLimits.rejoinAskAgainMs
  const losses = { toldMs: beforeMs, healedMs: nowMs - clientLimits.lostGroupsKeptMs }
  if (!hasAskedBefore(store, beforeMs) && !hasPastLosses(store, losses)) return
  await store.write(database => {
    forgetAskedBefore(database, beforeMs)
    forgetPastLosses(database, losses)
  })
}

/** A chat that cannot be healed keeps no other from it: one person without good keys at the relay would make all wait. */
async function forEach<T>(all: readonly T[], heal: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const one of all) await heal(one).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/**
 * Somebody speaks in a group of which this database knows nothing, as after a restore from a backup. All that is known of
 * it is the relay's word, and a stranger who spoils its own welcome looks the same: whoever was not let in waits as a request.
 */
export function noteLostGroup(
  core: Pick<Core, 'own' | 'acceptRequests' | 'elapsed' | 'log'>,
  database: Database,
  entry: MailboxEntry,
): void {
  const { group, sender: speaker, ts } = entry
  // Not even noted: of a group with others in it the next who speaks there is asked.
  if (isBlocked(database, speaker)) return
  const known = findLostGroup(database, group)
  const refusedIn = entry.kind === 'message' ? chatOfRefused(database, group) : undefined
  const chat = refusedIn ?? privateChatId(speaker)
  if (refusedIn || known?.isHealed) reportLoss(core, database, { chat, group, speaker, ts })
  if (known) return
  if (countLostGroups(database, speaker) >= clientLimits.lostGroupsPerSpeakerMax)
    return core.log.debug({ kind: 'lost group', group, speaker, reason: 'too many of the speaker' }, 'ignored')
  insertLostGroup(database, { group, speaker, ts })
  if (!isLetIn(core, database, speaker)) showRequest(core, database, { group, speaker, ts })
}

/** Its keys may be made anew without a word of the owner: the chat was active, or everybody gets in anyway. */
const isLetIn = ({ acceptRequests }: Pick<Core, 'acceptRequests'>, reads: Reads, speaker: AccountId): boolean =>
  !isBlocked(reads, speaker) &&
  (acceptRequests === 'all' || findChat(reads, privateChatId(speaker))?.state === 'active')

/** The owner sees that somebody is there who cannot be read, and may accept; nothing of this account is given away. */
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

async function healLost(core: Core, lost: LostGroup, deadline: Deadline): Promise<void> {
  const { group, speaker } = lost
  if (!isLetIn(core, core.store, speaker)) return
  const members = await membersAtRelay(core, group)
  const isPrivate = members.length === 2 && members.includes(speaker)
  if (isPrivate) {
    await openPrivateChat(core, { account: speaker }, { deadline, atLeast: generationToHeal(core, speaker) })
    await say(core, privateChatId(speaker), { body: { kind: 'hello' }, deadline })
  } else if (members.includes(speaker)) {
    await askToRejoin(core, { group, members: [speaker] }, deadline)
  }
  await core.store.write(database => {
    noteHealed(database, group)
    if (!isPrivate) return
    reportLoss(core, database, { chat: privateChatId(speaker), group, speaker, ts: presentMs(core) })
    // Of a private chat it is told here; of a group it is told when this account is added anew.
    noteLossTold(database, group)
  })
}

/** A speaker who spoils one welcome after the other would have a group made for each: one that is as new heals them all. */
function generationToHeal({ store, clock }: Pick<Core, 'store' | 'clock'>, speaker: AccountId): number {
  const nowMs = clock.nowMs()
  const chat = findChat(store, privateChatId(speaker))
  const group = chat && findGroup(store, chat.group_id)
  const isNew = (group?.generation ?? 0) >= beyondAll(nowMs - clientLimits.healPrivateEveryMs)
  return isNew ? 0 : beyondAll(nowMs)
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

async function healBroken(core: Core, { chat: id, group }: ChatGroup, deadline: Deadline): Promise<void> {
  const row = findChat(core.store, id)
  const other = row && otherPerson(row)
  if (other) {
    await ensurePrivateChat(core, { account: other }, deadline)
    await say(core, id, { body: { kind: 'hello' }, deadline })
    return
  }
  const loss = lossOf(core.store, group)
  if (!loss) return
  await askToRejoin(core, { group, members: membersToAsk(core, id, group) }, deadline)
  // Asked once: whoever is asked keeps the wish until it is done.
  await core.store.write(database => {
    if (isStillLost(database, loss)) noteMembersAsked(database, group, core.elapsed.nowMs())
  })
}

type Loss = Pick<StoredGroup, 'id' | 'epoch'>

/** Undefined when it was healed while others were looked after. */
function lossOf(reads: Reads, group: GroupId): Loss | undefined {
  const row = findGroup(reads, group)
  return row?.status === 'broken' ? row : undefined
}

/**
 * The first who was asked may have helped while the others were being asked: noted as asked after that, this account would
 * ask nobody when it loses the group again. Whoever is in the group again is in a later epoch.
 */
const isStillLost = (database: Database, { id, epoch }: Loss): boolean => lossOf(database, id)?.epoch === epoch

type UnprovedWelcome = { chat: ChatRow; invitation: RefusedWelcome['invitation']; ts: number }

/**
 * Somebody has added this account again, and cannot prove to it what has changed since: an admin is asked, once. So it is where
 * others continue in a group that this account does not know. A group that was just made need not be theirs: it is answered.
 */
export function wantAdmin(
  core: Pick<Core, 'own' | 'elapsed' | 'wakeChores'>,
  database: Database,
  { chat, invitation, ts }: UnprovedWelcome,
): void {
  const { group, inviter, epoch } = invitation
  if (findGroup(database, chat.group_id)?.status === 'broken')
    wantAdminsAsked(database, chat.group_id, core.elapsed.nowMs())
  const admin = membersOf(database, chat.id).find(
    ({ account_id: account, admin }) => admin && account !== core.own.id && account !== inviter,
  )
  const speaker = epoch > 1 && !findGroup(database, group) ? admin?.account_id : undefined
  if (speaker) askInstead(database, { group, speaker, ts })
  core.wakeChores()
}

async function askAdmins(core: Core, { chat: id, group }: ChatGroup, deadline: Deadline): Promise<void> {
  const admins = othersToAsk(core, id).filter(member => member.admin)
  const loss = lossOf(core.store, group)
  if (!loss) return
  await askToRejoin(
    core,
    { group, members: admins.slice(0, clientLimits.rejoinAskedMax).map(member => member.account_id) },
    deadline,
  )
  await core.store.write(database => {
    if (isStillLost(database, loss)) noteAdminsAsked(database, group)
  })
}

async function askToRejoin(
  core: Core,
  { group, members }: { group: GroupId; members: AccountId[] },
  deadline: Deadline,
): Promise<void> {
  await forEach(members, async account => {
    const { id } = await ensureQuietChat(core, account, deadline)
    await say(core, id, { body: { kind: 'rejoin', group }, deadline })
  })
}

async function say(
  core: Core,
  chat: ChatId,
  { body, deadline }: { body: Extract<KnownBody, { kind: 'hello' | 'rejoin' }>; deadline: Deadline },
): Promise<void> {
  await sendContent(core, chat, { draft: newDraft(core, body), deadline })
}

/** Who added this account first, then the admins, then any: when it has to ask again, others than before. */
function membersToAsk(core: Pick<Core, 'store' | 'own' | 'jitter'>, chat: ChatId, group: GroupId): AccountId[] {
  const inviter = findGroup(core.store, group)?.inviter
  const rank = (member: { account_id: AccountId; admin: number }) =>
    member.account_id === inviter ? 0 : member.admin ? 1 : 2
  return othersToAsk(core, chat)
    .filter(member => !member.leaving)
    .map(member => ({ account: member.account_id, place: rank(member) + core.jitter() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, clientLimits.rejoinAskedMax)
    .map(({ account }) => account)
}

/** Nothing is asked of who is blocked. */
const othersToAsk = ({ store, own }: Pick<Core, 'store' | 'own'>, chat: ChatId) =>
  membersOf(store, chat).filter(({ account_id }) => account_id !== own.id && !isBlocked(store, account_id))
