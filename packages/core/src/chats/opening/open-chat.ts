// Opens chats: a private one with a new person, a group, or the next generation of a private chat that broke.
import { createGroup } from '@postern/mls'
import {
  type AccountId,
  type ChatId,
  CodedError,
  clientLimits,
  contentLimits,
  type Deadline,
  GROUP_ID_BYTES,
  type GroupId,
  groupChatId,
  groupIdFromBytes,
  groupIdToBytes,
  privateChatId,
} from '@postern/protocol'
import { encodeGroupSettings, type GroupSettings } from '@postern/protocol/content'
import type { Core } from '../../context.ts'
import { type CommitContext, commitToGroup, type NewMember, settlePending } from '../../groups/commit-group.ts'
import { newestMark } from '../../groups/epoch-marks.ts'
import { greetingTo } from '../../groups/greetings.ts'
import { findGroup, insertGroup } from '../../groups/group-records.ts'
import { noteQuestion } from '../../groups/mark-queries.ts'
import { nextRenewalMs } from '../../groups/renewal.ts'
import { dropSuperseded } from '../../groups/superseded-groups.ts'
import { makeKeyPackage } from '../../identity/key-packages.ts'
import { noteProfileKey } from '../../identity/people.ts'
import { isBlocked } from '../../identity/trust.ts'
import type { Successor } from '../../judge/successor.ts'
import type { Database } from '../../storage/database.ts'
import { findKey, type Idempotency, noteKey } from '../../storage/state/idempotency-keys.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { fetchKeyPackages, fetchUsable } from '../keys/fetch-key-packages.ts'
import { revealOpened } from '../notices.ts'
import { type ChatRow, findChat, insertChat, otherPerson, replaceMembers } from '../records/chats.ts'
import { noteLeftOut } from '../records/removals.ts'
import { dropOpening } from './drop-opening.ts'

export type PrivateTarget = { account: AccountId; profileKey?: Uint8Array }

/** Above every generation that may exist, for a chat whose groups this database has never seen. */
export const beyondAll = (nowMs: number): number => Math.floor(nowMs / 1000)

/** The private chat with a person, opened if there is none that works. */
export async function ensurePrivateChat(core: Core, target: PrivateTarget, deadline: Deadline): Promise<ChatRow> {
  return await openPrivateChat(core, target, { deadline, atLeast: 0 })
}

/** For messages between two clients about a group that they share. They do not make the other person a contact. */
export async function ensureQuietChat(core: Core, account: AccountId, deadline: Deadline): Promise<ChatRow> {
  return await openPrivateChat(core, { account }, { deadline, atLeast: 0, quietly: true })
}

/** A chat below the wanted generation is replaced as if it were broken. */
export async function openPrivateChat(
  core: Core,
  target: PrivateTarget,
  { deadline, atLeast, quietly = false }: { deadline: Deadline; atLeast: number; quietly?: boolean },
): Promise<ChatRow> {
  const chat = privateChatId(target.account)
  if (target.account === core.own.id)
    throw new CodedError('bad-field', { field: 'chat', rule: 'must be another account than your own' })
  if (isBlocked(core.store, target.account)) throw new CodedError('chat-blocked')
  const open = async () => {
    const before = await usableChat(core, chat, { deadline, atLeast })
    if (before) return before
    const { profileKey } = target
    if (profileKey) await core.store.write(database => noteProfileKey(database, target.account, profileKey))
    const lost = findChat(core.store, chat)
    const known = lost ? (findGroup(core.store, lost.group_id)?.generation ?? 0) + 1 : 0
    const generation = Math.max(known, atLeast)
    const settings: GroupSettings = { v: 1, type: 'private', generation, timerMs: lost?.timer_ms ?? 0 }
    await openGroup(core, { chat, settings, accounts: [target.account], deadline, quietly })
    // Otherwise the questions about the previous group would wait until something else wakes the chores.
    if (lost) core.wakeChores()
    return requiredChat(core, chat)
  }
  // The caller that opens the chat may have a later deadline than the callers that wait for it.
  return await deadline.awaiting(() => core.openings.run(chat, open))
}

export type NewGroupChat = { name: string; members: AccountId[]; deadline: Deadline; idempotency?: Idempotency }

export async function openGroupChat(
  core: Core,
  { name, members, deadline, idempotency }: NewGroupChat,
): Promise<ChatRow> {
  const earlier = idempotency && findKey(core, idempotency)
  const made = earlier && (await usableChat(core, earlier.subject as ChatId, { deadline, atLeast: 0 }))
  if (made) return made
  const accounts = [...new Set(members)].filter(account => account !== core.own.id)
  if (accounts.length + 1 > contentLimits.groupMembersMax)
    throw new CodedError('group-full', { max: contentLimits.groupMembersMax })
  const settings: GroupSettings = {
    v: 1,
    type: 'group',
    title: name,
    admins: [core.own.id],
    timerMs: 0,
    generation: 0,
  }
  const chat = await openGroup(core, { settings, accounts, deadline, ...(idempotency && { idempotency }) })
  return requiredChat(core, chat as ChatId)
}

/** Undefined when a chat has to be opened: there is none, its opening was refused, or its keys are lost. */
async function usableChat(
  core: CommitContext,
  chat: ChatId,
  { deadline, atLeast }: { deadline: Deadline; atLeast: number },
): Promise<ChatRow | undefined> {
  const row = findChat(core.store, chat)
  const group = row && findGroup(core.store, row.group_id)
  if (!row || !group || group.status === 'broken' || group.generation < atLeast) return undefined
  if (group.status === 'opening') await settlePending(core, group.id, deadline)
  return findGroup(core.store, row.group_id)?.status === 'open' ? requiredChat(core, chat) : undefined
}

type Succession = {
  chat: ChatId
  continues: GroupId
  /** The successor by the current records; undefined when there is nothing to carry on any more. */
  successor: (reads: Pick<Store, 'get' | 'all'>) => Successor | undefined
  deadline: Deadline
}

/**
 * Opens the next group of a group chat. Returns the members that it left out: an admin may leave out those for whom the
 * relay has no good keys.
 */
export async function openSuccessor(core: Core, succession: Succession): Promise<AccountId[]> {
  const { chat, deadline } = succession
  return await deadline.awaiting(() =>
    core.openings.run(chat, async () => {
      await core.link.whenOnline(deadline.leftMs())
      for (let race = 0; race < clientLimits.commitRacesMax; race++) {
        const left = await tryToSucceed(core, succession)
        if (left !== 'changed') return left
      }
      throw new CodedError('chat-healing')
    }),
  )
}

/**
 * `changed`: somebody has changed the chat while the key packages were fetched. Otherwise a member whom an admin has
 * just removed would be back, and nobody would be notified.
 */
async function tryToSucceed(core: Core, succession: Succession): Promise<AccountId[] | 'changed'> {
  const { chat, continues, deadline } = succession
  const successorIn = (reads: Pick<Store, 'get' | 'all'>) =>
    findChat(reads, chat)?.group_id === continues ? succession.successor(reads) : undefined
  const successor = successorIn(core.store)
  if (!successor) return []
  const { settings, members } = successor
  const wanted = members.filter(account => account !== core.own.id)
  const added = settings.admins.includes(core.own.id)
    ? await fetchUsable(core, wanted, deadline)
    : await fetchKeyPackages(core, wanted, deadline)
  const accounts = added.map(({ account }) => account)
  const isChanged = (database: Database) => JSON.stringify(successorIn(database)) !== JSON.stringify(successor)
  const made = { ...settings, maker: core.own.id }
  const opened = await openGroup(core, {
    chat,
    settings: made,
    accounts,
    added,
    continues,
    members,
    deadline,
    isChanged,
  })
  return opened === 'changed' ? 'changed' : wanted.filter(account => !accounts.includes(account))
}

type Opening = {
  chat?: ChatId
  settings: GroupSettings
  accounts: AccountId[]
  deadline: Deadline
  idempotency?: Idempotency
  /** Key packages of the accounts, if the caller has them. */
  added?: NewMember[]
  /** The group that this one carries on. */
  continues?: GroupId
  /** The members that it should have: there may be no good keys for some of them. */
  members?: AccountId[]
  /** The chat is not shown, and its person is not accepted. */
  quietly?: boolean
  /** Called in the transaction that writes the group. True: the records from which it was made have changed. */
  isChanged?: (database: Database) => boolean
}

async function openGroup(
  core: Core,
  { settings, accounts, deadline, ...opening }: Opening,
): Promise<ChatId | 'changed'> {
  await core.link.whenOnline(deadline.leftMs())
  const added = opening.added ?? (await fetchKeyPackages(core, accounts, deadline))
  const group = groupIdFromBytes(core.provider.randomBytes(GROUP_ID_BYTES))
  const chat = opening.chat ?? groupChatId(group)
  const isStarted = await startGroup(core, { ...opening, group, chat, settings, accounts })
  if (!isStarted) return 'changed'
  try {
    await commitToGroup(core, group, {
      intent: () => ({ add: added }),
      deadline,
    })
  } catch (error) {
    // The others may have the group although the answer was lost. If it were dropped here, they would talk to nobody.
    const isRefused = findGroup(core.store, group)?.status === 'opening' && !(await hasPending(core, group))
    if (isRefused) await dropOpening(core, group, chat)
    if (findGroup(core.store, group)?.status !== 'open') throw error
  }
  // A chat that its owner has deleted got new keys: its next content shows it.
  if (opening.quietly || findChat(core.store, chat)?.declined) return chat
  const ts = await core.groups.run(group, async live => live.lastTs)
  await core.store.write(database => revealOpened(core, database, { chat, ts }))
  return chat
}

const hasPending = (core: Pick<Core, 'groups'>, group: GroupId): Promise<boolean> =>
  core.groups.run(group, async live => live.pending !== undefined)

async function startGroup(
  core: Pick<Core, 'store' | 'groups' | 'mls' | 'own' | 'clock' | 'elapsed' | 'provider'>,
  opening: Omit<Opening, 'deadline'> & { group: GroupId; chat: ChatId },
): Promise<boolean> {
  const { group, chat, settings, accounts, idempotency, continues, quietly } = opening
  const keyPackage = await makeKeyPackage(core)
  const session = await createGroup(core.mls, {
    groupId: groupIdToBytes(group),
    keyPackage,
    settings: encodeGroupSettings(settings),
  })
  return await core.store.write(database => {
    if (opening.isChanged?.(database)) return false
    if (idempotency) noteKey(database, idempotency, { subject: chat, nowMs: core.elapsed.nowMs() })
    insertGroup(database, {
      id: group,
      chat,
      generation: settings.generation,
      session,
      inviter: core.own.id,
      needsHello: greetingTo(database, accounts.length + 1),
      status: 'opening',
      renewAtMs: nextRenewalMs(core, accounts.length + 1),
      ...(continues && { continues }),
      ...(settings.type === 'group' && settings.continues && { madeAt: JSON.stringify(settings.continues) }),
    })
    const known = findChat(database, chat)
    const first_seen_ts = known?.first_seen_ts ?? core.clock.nowMs()
    const state = quietly ? (known?.state ?? 'request') : 'active'
    insertChat(database, { id: chat, group_id: group, state, visible: known?.visible ?? 0, first_seen_ts }, settings)
    if (opening.members) noteLeftOut(database, { chat, accounts: opening.members }, { group, epoch: 0 })
    replaceMembers(database, chat, { accounts: [core.own.id, ...accounts], settings })
    if (known && settings.type === 'private') questionReplaced(database, known)
    if (known) dropSuperseded(core, database, { chat, type: settings.type, inForce: group })
    return true
  })
}

/**
 * The previous group may have been two, one for each side. The question is noted with the successor: left to the
 * healing chores, it would never be asked if a message of the owner comes before them.
 */
function questionReplaced(database: Database, chat: ChatRow): void {
  const account = otherPerson(chat)
  const mark = newestMark(database, chat.group_id)
  if (account && mark) noteQuestion(database, { group: mark.group, epoch: mark.epoch, account, trouble: false })
}

function requiredChat(core: Pick<Core, 'store'>, chat: ChatId): ChatRow {
  const row = findChat(core.store, chat)
  if (!row) throw new CodedError('chat-not-found', { chat })
  return row
}
