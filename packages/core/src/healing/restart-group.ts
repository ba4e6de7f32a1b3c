// Carrying on a group chat whose group is dead: the same people under the same chat, with new keys, without who killed it.
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
import { type ChatRow, findChat, isAdmin, membersOf, viewChat } from '../chats/records/chats.ts'
import { type DeadChat, deadChats } from '../chats/records/chats-by-group.ts'
import { endedOf } from '../chats/records/known-chat.ts'
import { forgetRefusal, noteRefusal, refusalsToAnswer } from '../chats/records/refusals.ts'
import { countRejoins, forgetRejoins } from '../chats/records/rejoins.ts'
import type { Core } from '../context.ts'
import { findGroup, putOffRestart } from '../groups/group-records.ts'
import { hasKeys } from '../groups/keyless-groups.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import { type Successor, successorOf, turnOf } from '../judge/successor.ts'
import { presentMs } from '../messages/age.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import { membersAtRelay } from './heal-chats.ts'

export type DueRestart = { chat: ChatId; group: GroupId; dueMs: number }

/** The admins first, then the others, each later than the one before: whoever is welcomed meanwhile has nothing to do. */
export function waitingRestarts(core: Pick<Core, 'store' | 'own'>): DueRestart[] {
  const dead = chatsToCarryOn(core).map(({ chat, group, endedMs, offender, isRefused }) => ({
    chat,
    group,
    fromMs: endedMs + firstAfterMs({ offender, isRefused, isAdmin: isOwnAdmin(core, chat) }),
  }))
  return [...dead, ...refusalsToAnswer(core.store)].flatMap(({ chat, group, fromMs }) => {
    const turn = ownTurn(core, chat)
    return turn === undefined ? [] : [{ chat, group, dueMs: fromMs + turn * clientLimits.restartTurnMs }]
  })
}

/** Where nobody is proved to have ended it, an admin does it, whom all follow; another only if others have lost it, too. */
const chatsToCarryOn = (core: Pick<Core, 'store' | 'own'>): DeadChat[] =>
  deadChats(core.store).filter(dead => dead.offender !== null || mayCarryOn(core, dead))

/**
 * Members that were restored with the relay have lost less than this account knows, and do not say that they have lost anything.
 * Asked to add this account again, they would lead it back to an epoch that is past here.
 */
function mayCarryOn(core: Pick<Core, 'store' | 'own'>, { chat, group, isRelayBehind }: DeadChat): boolean {
  if (isRelayBehind || isOwnAdmin(core, chat)) return true
  const others = membersOf(core.store, chat).filter(member => !member.leaving && member.account_id !== core.own.id)
  const lost = countRejoins(core.store, group)
  return lost >= Math.min(Math.ceil(others.length / 2), clientLimits.restartLostOthers)
}

const isOwnAdmin = ({ store, own }: Pick<Core, 'store' | 'own'>, chat: ChatId): boolean => isAdmin(store, chat, own.id)

function ownTurn(core: Pick<Core, 'store' | 'own'>, id: ChatId): number | undefined {
  const chat = findChat(core.store, id)
  const ended = chat && endedOf(core.store, chat)
  return ended && turnOf(ended, core.own.id)
}

/**
 * A member made a group that does more than it may: it did not know better, or tried. Those who followed it are alone
 * there, so one of us makes the next, into which everybody may follow. Not again and again: the other could go on for ever.
 */
export function noteRefusedGroup(
  core: Pick<Core, 'elapsed'>,
  database: Database,
  { chat: id, generation }: { chat: ChatId; generation: number },
): void {
  const chat = findChat(database, id)
  const nowMs = core.elapsed.nowMs()
  const current = chat && findGroup(database, chat.group_id)
  if (current?.status !== 'open' || chat?.type !== 'group' || generation <= chat.refused_generation) return
  // Nobody who is well would follow an answer to one from so far ahead either.
  if (generation > current.generation + contentLimits.generationStepMax / 2) return
  const isTooSoon = nowMs - chat.warned_ms < clientLimits.answerRefusedEveryMs
  noteRefusal(database, id, { generation, answerFromMs: isTooSoon ? null : nowMs })
}

/** Whom others have added anew, and who could not believe them, waits for an admin: it would bring back whom one has removed. */
function firstAfterMs({
  offender,
  isRefused,
  isAdmin,
}: Pick<DeadChat, 'offender' | 'isRefused'> & { isAdmin: boolean }): number {
  if (offender) return clientLimits.restartAfterMs
  return isRefused && !isAdmin ? clientLimits.restartRefusedAfterMs : clientLimits.restartLostAfterMs
}

/** A try that fails is put off by another turn; meanwhile the next in the row may do better. */
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
      successor: reads => successorNow(reads, id, present),
      deadline,
    })
    await core.store.write(database => {
      const row = findChat(database, id)
      if (!row) return
      forgetRejoins(database, id, { inForce: row.group_id })
      forgetRefusal(database, id)
      const out = [...(ended.offender ? [ended.offender] : []), ...left].map(account => personOf(database, account))
      const notice: Notice = { code: 'restarted', from: personOf(database, core.own.id) }
      appendEvent(core, database, { type: 'chat', chat_id: id, chat: viewChat(database, row) })
      const told = { ...notice, ...(out.length > 0 && { members: out }) }
      emitNotice(core, database, { chat: id, notice: told, ts: presentMs(core) })
    })
  } catch (error) {
    if (!isCoded(error, 'stopping'))
      await core.store.write(database => {
        putOffRestart(database, group, core.elapsed.nowMs())
        forgetRefusal(database, id)
      })
    core.rescheduleTimers()
    throw error
  }
}

/**
 * An account that was made again from recovery facts does not know whom it has removed since they were written: those are no
 * members for the relay. Undefined where the account has the keys, or the relay does not know the group.
 */
async function presentIn(core: Core, group: GroupId): Promise<ReadonlySet<AccountId> | undefined> {
  if (hasKeys(core.store, group)) return undefined
  const members = await membersAtRelay(core, group)
  return members.length > 0 ? new Set(members) : undefined
}

function successorNow(
  reads: Pick<Store, 'get' | 'all'>,
  id: ChatId,
  present: ReadonlySet<AccountId> | undefined,
): Successor | undefined {
  const chat = findChat(reads, id)
  const ended = chat && endedOf(reads, chat)
  const members = ended?.members.filter(account => !present || present.has(account))
  return ended && members && aboveRefused(successorOf({ ...ended, members }), chat)
}

const aboveRefused = (successor: Successor, chat: ChatRow): Successor => ({
  ...successor,
  settings: {
    ...successor.settings,
    generation: Math.max(successor.settings.generation, chat.refused_generation + 1),
  },
})
