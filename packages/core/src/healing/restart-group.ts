// Carries on a group chat whose group is dead:
// the same people in the same chat, with new keys, without the members that killed it.
import type { Notice } from '@postern/bot-api/events'
import {
  type AccountId,
  type ChatId,
  clientLimits,
  contentLimits,
  type Deadline,
  type GroupId,
  isCoded,
} from '@postern/protocol'
import { emitNotice } from '../chats/notices.ts'
import { openSuccessor } from '../chats/opening/open-chat.ts'
import { type ChatRow, findChat, isAdmin, viewChat } from '../chats/records/chats.ts'
import { type DeadChat, deadChats } from '../chats/records/chats-by-group.ts'
import { endedOf } from '../chats/records/known-chat.ts'
import { noteRefusal, noteRefusalAnswered, putOffRefusal, refusalsToAnswer } from '../chats/records/refusals.ts'
import { countRejoins, forgetRejoins, othersIn } from '../chats/records/rejoins.ts'
import { returnedTo } from '../chats/records/removals.ts'
import type { Core } from '../context.ts'
import { findGroup, putOffRestart, wantHelloNow } from '../groups/group-records.ts'
import { hasKeys } from '../groups/keyless-groups.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import { type Successor, successorOf, turnOf } from '../judge/successor.ts'
import { presentMs } from '../messages/age.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import { membersAtRelay } from './heal-lost-group.ts'

export type DueRestart = { chat: ChatId; group: GroupId; dueMs: number }

/**
 * The admins first, then the others, each later than the one before.
 * A member that is welcomed meanwhile has nothing to do.
 */
export function waitingRestarts(core: Pick<Core, 'store' | 'own'>): DueRestart[] {
  const dead = chatsToCarryOn(core).map(({ chat, group, endedMs, hasOffender, isRefused }) => ({
    chat,
    group,
    fromMs: endedMs + firstAfterMs({ hasOffender, isRefused, isAdmin: isOwnAdmin(core, chat) }),
  }))
  return [...dead, ...refusalsToAnswer(core.store)].flatMap(({ chat, group, fromMs }) => {
    const turn = ownTurn(core, chat)
    return turn === undefined ? [] : [{ chat, group, dueMs: fromMs + turn * clientLimits.restartTurnMs }]
  })
}

/**
 * Without a proven offender an admin carries the chat on, because all follow an admin. Another member does so only if
 * others have lost the group, too.
 */
const chatsToCarryOn = (core: Pick<Core, 'store' | 'own'>): DeadChat[] =>
  deadChats(core.store).filter(dead => dead.hasOffender || mayCarryOn(core, dead))

/**
 * Members that were restored with the relay have lost less than this account knows, and do not report a loss. Asked to
 * add this account again, they would lead it back to an epoch that is past here.
 */
function mayCarryOn(core: Pick<Core, 'store' | 'own'>, { chat, group, isRelayBehind }: DeadChat): boolean {
  if (isRelayBehind || isOwnAdmin(core, chat)) return true
  const others = othersIn(core.store, chat, core.own.id)
  return countRejoins(core.store, group) >= Math.min(Math.ceil(others / 2), clientLimits.restartLostOthers)
}

const isOwnAdmin = ({ store, own }: Pick<Core, 'store' | 'own'>, chat: ChatId): boolean => isAdmin(store, chat, own.id)

function ownTurn(core: Pick<Core, 'store' | 'own'>, id: ChatId): number | undefined {
  const chat = findChat(core.store, id)
  const ended = chat && endedOf(core.store, chat)
  return ended && turnOf(ended, core.own.id)
}

/**
 * A member made a group that does more than it may, by mistake or on purpose. The members who followed it are alone
 * there, so one of us makes the next group, into which everyone may follow. This is not repeated without limit, because
 * the other member could continue forever. Without keys, this account knows less than the others, who may all have
 * followed: it makes no group below theirs, and answers once it has keys.
 */
export function noteRefusedGroup(
  core: Pick<Core, 'elapsed'>,
  database: Database,
  { chat: id, group, generation }: { chat: ChatId; group: GroupId; generation: number },
): void {
  const chat = findChat(database, id)
  const nowMs = core.elapsed.nowMs()
  const current = chat && findGroup(database, chat.group_id)
  if (!current || chat?.type !== 'group' || generation <= chat.refused_generation) return
  // Somebody wants to add this account again, and is not believed: an admin is asked.
  if (group === current.id && current.status === 'broken') return
  // Nobody who knows what this account knows follows a group that far ahead, or an answer to it.
  if (generation > current.generation + contentLimits.generationStepMax) return
  noteRefusal(database, id, { generation, nowMs })
}

/**
 * A member that others have added again and that could not believe them waits for an admin: on its own it would bring
 * back members that an admin has removed.
 */
function firstAfterMs({
  hasOffender,
  isRefused,
  isAdmin,
}: Pick<DeadChat, 'hasOffender' | 'isRefused'> & { isAdmin: boolean }): number {
  if (hasOffender) return clientLimits.restartAfterMs
  return isRefused && !isAdmin ? clientLimits.restartRefusedAfterMs : clientLimits.restartLostAfterMs
}

/** A failed try is postponed by another turn; meanwhile the next member in line may succeed. */
export async function restartGroup(core: Core, { chat: id, group }: DueRestart, deadline: Deadline): Promise<void> {
  const chat = findChat(core.store, id)
  const ended = chat && endedOf(core.store, chat)
  const isDead = findGroup(core.store, group)?.status === 'broken'
  if (!ended || chat.group_id !== group || !(isDead || chat.refused_ms !== null)) return
  try {
    const present = await presentIn(core, group)
    const left = await openSuccessor(core, {
      chat: id,
      continues: group,
      successor: reads => successorNow(core, reads, { chat: id, present }),
      deadline,
    })
    await core.store.write(database => {
      const row = findChat(database, id)
      if (!row) return
      forgetRejoins(database, id, { inForce: row.group_id })
      // For somebody who was added to the group before and not greeted there.
      wantHelloNow(database, [row.group_id])
      const nowMs = core.elapsed.nowMs()
      noteRefusalAnswered(database, id, nowMs)
      putOffRefusal(database, id, nowMs + clientLimits.answerRefusedEveryMs)
      const out = [...ended.offenders, ...left].map(account => personOf(database, account))
      const notice: Notice = { code: 'restarted', from: personOf(database, core.own.id) }
      appendEvent(core, database, { type: 'chat', chat_id: id, chat: viewChat(database, row) })
      const told = { ...notice, ...(out.length > 0 && { members: out }) }
      emitNotice(core, database, { chat: id, notice: told, ts: presentMs(core) })
    })
  } catch (error) {
    if (!isCoded(error, 'stopping'))
      await core.store.write(database => {
        const nowMs = core.elapsed.nowMs()
        putOffRestart(database, group, nowMs)
        putOffRefusal(database, id, nowMs + clientLimits.restartLostAfterMs)
      })
    core.rescheduleTimers()
    throw error
  }
}

/**
 * An account that was rebuilt from recovery facts does not know the members that it has removed since they were
 * written. The relay does not list those as members. Undefined if the account has the keys, or the relay does not know
 * the group.
 */
async function presentIn(core: Core, group: GroupId): Promise<ReadonlySet<AccountId> | undefined> {
  if (hasKeys(core.store, group)) return undefined
  const members = await membersAtRelay(core, group)
  return members.length > 0 ? new Set(members) : undefined
}

/** An admin also leaves out members that are in again without anybody's wish: from another member, not all follow that. */
function successorNow(
  { own }: Pick<Core, 'own'>,
  reads: Pick<Store, 'get' | 'all'>,
  { chat: id, present }: { chat: ChatId; present: ReadonlySet<AccountId> | undefined },
): Successor | undefined {
  const chat = findChat(reads, id)
  const ended = chat && endedOf(reads, chat)
  const returned = isAdmin(reads, id, own.id) ? returnedTo(reads, id) : []
  const members = ended?.members.filter(account => (!present || present.has(account)) && !returned.includes(account))
  return ended && members && aboveRefused(successorOf({ ...ended, members }), chat)
}

/** Not further ahead than the other members that refused it follow: the answer to the furthest takes two groups. */
function aboveRefused({ settings, members }: Successor, chat: ChatRow): Successor {
  const next = settings.generation
  const furthest = next - 1 + contentLimits.generationStepMax
  const generation = Math.max(next, Math.min(chat.refused_generation + 1, furthest))
  return { members, settings: { ...settings, generation } }
}
