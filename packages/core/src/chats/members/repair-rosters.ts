// Repairs groups whose member list at the relay differs from their commits,
// because the committer or the relay lied about it.
import type { Notice } from '@postern/bot-api/events'
import { epoch, memberAccounts } from '@postern/mls'
import {
  type AccountId,
  type ChatId,
  CodedError,
  clientLimits,
  type Deadline,
  type GroupId,
  isCoded,
} from '@postern/protocol'
import type { Core } from '../../context.ts'
import { type CommitContext, commitToGroup } from '../../groups/commit-group.ts'
import { endGroup, findGroup } from '../../groups/group-records.ts'
import { refuseForgotten } from '../../groups/relay-behind.ts'
import { personOf } from '../../identity/people.ts'
import type { ListsDiffer } from '../../judge/compare-lists.ts'
import { turnOf } from '../../judge/successor.ts'
import type { Database } from '../../storage/database.ts'
import { fetchKeyPackages } from '../keys/fetch-key-packages.ts'
import { emitNotice } from '../notices.ts'
import { findChat, isInUse } from '../records/chats.ts'
import { leaversOf } from '../records/farewells.ts'
import { endedOf } from '../records/known-chat.ts'

export type Disagreement = ListsDiffer & { group: GroupId; chat: ChatId; committer: AccountId; ts: number }

/**
 * Emits a notice immediately. A member that is cut off waits for a welcome;
 * the others repair the group, one after the other.
 */
export function noteDisagreement(
  core: Pick<Core, 'own' | 'elapsed' | 'log' | 'rescheduleTimers'>,
  database: Database,
  differ: Disagreement,
): void {
  const { group, chat: id, committer, cutOff, listening } = differ
  core.log.warn({ group, committer, cutOff, listening }, 'relay member list differs from the commit')
  const nowMs = core.elapsed.nowMs()
  // Nobody is removed from a private chat, not even to be added again: the chat gets its next group.
  const isPrivate = findChat(database, id)?.type === 'private'
  if (isPrivate || cutOff.includes(core.own.id)) endGroup(database, group, { nowMs })
  else noteRepair(core, database, group)
  core.rescheduleTimers()
  const chat = findChat(database, id)
  if (!isInUse(chat) || cutOff.length === 0) return
  const members = cutOff.map(account => personOf(database, account))
  const notice: Notice = { code: 'cut_off', from: personOf(database, committer), members }
  emitNotice(core, database, { chat: id, notice, ts: differ.ts })
}

/** The relay's list has to be compared with the keys and repaired, at the latest before the next message is sent. */
export function noteRepair(core: Pick<Core, 'elapsed' | 'rescheduleTimers'>, database: Database, group: GroupId): void {
  database.run('INSERT OR IGNORE INTO list_repair VALUES (?, ?)', group, core.elapsed.nowMs())
  core.rescheduleTimers()
}

export const needsRepair = (core: Pick<Core, 'store'>, group: GroupId): boolean =>
  core.store.get('SELECT 1 FROM list_repair WHERE group_id = ?', group) !== undefined

type Repair = { group: GroupId; dueMs: number }

/**
 * Admins first, each further member later: one repair is enough. A group that is dead, or carried on, is not repaired
 * any more. Otherwise a try every second would use up the key packages of the members that were cut off.
 */
export function waitingRepairs(core: Pick<Core, 'store' | 'own'>): Repair[] {
  const rows = core.store.all<{ group_id: GroupId; since_ms: number }>(
    `SELECT list_repair.group_id, since_ms FROM list_repair CROSS JOIN mls_group ON mls_group.id = list_repair.group_id
       CROSS JOIN chat ON chat.id = mls_group.chat_id AND chat.group_id = mls_group.id
     WHERE mls_group.status = 'open' AND chat.state = 'active'`,
  )
  return rows.map(({ group_id: group, since_ms }) => {
    const chat = findChat(core.store, findGroup(core.store, group)?.chat_id ?? ('' as ChatId))
    const ended = chat && endedOf(core.store, chat)
    const turn = (ended && turnOf(ended, core.own.id)) ?? 0
    return { group, dueMs: since_ms + turn * clientLimits.restartTurnMs }
  })
}

/**
 * Follows the relay's own list of members, whatever committers told it. Members that are missing there are added again;
 * accounts that only listen are removed.
 */
export async function repairRosters(
  core: CommitContext & Pick<Core, 'own'>,
  group: GroupId,
  deadline: Deadline,
): Promise<void> {
  for (let race = 0; race < clientLimits.commitRacesMax; race++) {
    const differ = await differAtRelay(core, group, deadline)
    if (!differ) return await core.store.write(database => forgetRepair(database, group))
    await putRight(core, differ, deadline)
  }
  throw new CodedError('relay-broken', { what: 'its list of members stays another than that of the keys' })
}

const forgetRepair = (database: Database, group: GroupId): void =>
  void database.run('DELETE FROM list_repair WHERE group_id = ?', group)

type Differing = ListsDiffer & { group: GroupId; atEpoch: number }

async function differAtRelay(
  core: CommitContext & Pick<Core, 'own'>,
  group: GroupId,
  deadline: Deadline,
): Promise<Differing | undefined> {
  const { members, epoch: atEpoch } = await core.link
    .call('getGroup', { group }, deadline.leftMs())
    .catch((error: unknown) => {
      if (isCoded(error, 'group-unknown')) return refuseForgotten(core, group, deadline)
      throw error
    })
  await core.groups.untilEpoch(group, atEpoch, deadline.leftMs())
  const byKeys = await core.groups.run(group, async live => memberAccounts(live.session))
  const known = new Set([...members, ...leaversIn(core, group), core.own.id])
  const cutOff = byKeys.filter(account => !known.has(account))
  const listening = members.filter(account => !byKeys.includes(account))
  return cutOff.length + listening.length === 0 ? undefined : { group, atEpoch, cutOff, listening }
}

async function putRight(core: CommitContext, differ: Differing, deadline: Deadline): Promise<void> {
  const { group, atEpoch, cutOff, listening } = differ
  const add = await fetchKeyPackages(core, cutOff, deadline)
  const plan = { add, remove: cutOff, atRelay: { remove: listening } }
  await commitToGroup(core, group, {
    // Another member may have repaired the group.
    // By the earlier list, the commit would tell the relay to add members that it already has.
    intent: session => (epoch(session) === atEpoch ? plan : 'satisfied'),
    deadline,
  })
}

/** A member that has said farewell is cut off by its own wish. */
function leaversIn(core: Pick<Core, 'store'>, group: GroupId): AccountId[] {
  const chat = findGroup(core.store, group)?.chat_id
  return chat ? leaversOf(core.store, chat) : []
}
