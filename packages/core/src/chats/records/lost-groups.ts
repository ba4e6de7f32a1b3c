// Groups that this database does not know and in which somebody spoke, as after a restore from a backup.
import type { AccountId, GroupId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

/**
 * `ts`: when the speaker was first heard, or heard again after an attempt to heal.
 * `isHealed`: this client has opened the next group of the chat, has asked the speaker to add it, or has joined another
 * chat with the speaker.
 */
export type LostGroup = { group: GroupId; speaker: AccountId; ts: number; isHealed: boolean }
type HeardGroup = Omit<LostGroup, 'isHealed'>
type LostRow = { group_id: GroupId; speaker: AccountId; ts: number; healed: number; told: number }

const lostOf = ({ group_id, speaker, ts, healed, told }: LostRow): LostGroup => ({
  group: group_id,
  speaker,
  ts,
  isHealed: healed === 1 || told === 1,
})

export function findLostGroup(reads: Reads, group: GroupId): LostGroup | undefined {
  const row = reads.get<LostRow>('SELECT * FROM lost_group WHERE group_id = ?', group)
  return row && lostOf(row)
}

export function insertLostGroup(database: Database, { group, speaker, ts }: HeardGroup): void {
  database.run('INSERT INTO lost_group (group_id, speaker, ts) VALUES (?, ?, ?)', group, speaker, ts)
}

/** The member that was asked, if any, could not help: asks this speaker instead, once. */
export function askInstead(database: Database, { group, speaker, ts }: HeardGroup): void {
  database.run(
    `INSERT INTO lost_group (group_id, speaker, ts) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET speaker = excluded.speaker, healed = 0 WHERE speaker <> excluded.speaker`,
    group,
    speaker,
    ts,
  )
}

/** Somebody still speaks there long after this client has tried to heal it: the attempt has failed. */
export function healAgain(database: Database, { group, speaker, ts }: HeardGroup): void {
  database.run('UPDATE lost_group SET speaker = ?, ts = ?, healed = 0, told = 0 WHERE group_id = ?', speaker, ts, group)
}

/** The number of remembered groups of one speaker: the speaker can create any number of them. */
export const countLostGroups = (reads: Reads, speaker: AccountId): number =>
  reads.get<{ count: number }>('SELECT count(*) AS count FROM lost_group WHERE speaker = ?', speaker)?.count ?? 0

/** Without losses that were reported: this account is in a chat with the speaker by now. */
export const lostGroupsToHeal = (reads: Reads): LostGroup[] =>
  reads.all<LostRow>('SELECT * FROM lost_group WHERE healed = 0 AND told = 0').map(lostOf)

export function noteHealed(database: Database, group: GroupId): void {
  database.run('UPDATE lost_group SET healed = 1 WHERE group_id = ?', group)
}

/** Losses whose chat is not known yet. */
export const lossesToTell = (reads: Reads): LostGroup[] =>
  reads.all<LostRow>('SELECT * FROM lost_group WHERE told = 0').map(lostOf)

export function noteLossTold(database: Database, group: GroupId): void {
  database.run('UPDATE lost_group SET told = 1 WHERE group_id = ?', group)
}

/** True if the group was a lost one. */
export const forgetLostGroup = (database: Database, group: GroupId): boolean =>
  database.run('DELETE FROM lost_group WHERE group_id = ?', group).changes > 0

/** Losses that were reported are forgotten first, then those whose speaker was asked and has not helped. */
type Times = { toldMs: number; healedMs: number }

const PAST = '(told = 1 AND ts < ?) OR (healed = 1 AND ts < ?)'

export const hasPastLosses = (reads: Reads, { toldMs, healedMs }: Times): boolean =>
  reads.get(`SELECT 1 FROM lost_group WHERE ${PAST}`, toldMs, healedMs) !== undefined

/** A later message in the group is a new loss. */
export function forgetPastLosses(database: Database, { toldMs, healedMs }: Times): void {
  database.run(`DELETE FROM lost_group WHERE ${PAST}`, toldMs, healedMs)
}
