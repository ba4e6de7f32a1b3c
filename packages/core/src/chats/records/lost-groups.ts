// Groups of which this database knows nothing, and in which somebody was heard: as after a restore from a backup.
import type { AccountId, GroupId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

/** `ts`: when the speaker was first heard. `isHealed`: the chat has new keys, or the speaker was asked for them. */
export type LostGroup = { group: GroupId; speaker: AccountId; ts: number; isHealed: boolean }
type LostRow = { group_id: GroupId; speaker: AccountId; ts: number; healed: number }

const lostOf = ({ group_id, speaker, ts, healed }: LostRow): LostGroup => ({
  group: group_id,
  speaker,
  ts,
  isHealed: healed === 1,
})

export function findLostGroup(reads: Reads, group: GroupId): LostGroup | undefined {
  const row = reads.get<LostRow>('SELECT * FROM lost_group WHERE group_id = ?', group)
  return row && lostOf(row)
}

export function insertLostGroup(database: Database, { group, speaker, ts }: Omit<LostGroup, 'isHealed'>): void {
  database.run('INSERT INTO lost_group (group_id, speaker, ts) VALUES (?, ?, ?)', group, speaker, ts)
}

/** The member that was asked, if any, could not help: this one is, once. */
export function askInstead(database: Database, { group, speaker, ts }: Omit<LostGroup, 'isHealed'>): void {
  database.run(
    `INSERT INTO lost_group (group_id, speaker, ts) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET speaker = excluded.speaker, healed = 0 WHERE speaker <> excluded.speaker`,
    group,
    speaker,
    ts,
  )
}

/** How many of one speaker are remembered: it can make as many as it likes. */
export const countLostGroups = (reads: Reads, speaker: AccountId): number =>
  reads.get<{ count: number }>('SELECT count(*) AS count FROM lost_group WHERE speaker = ?', speaker)?.count ?? 0

/** Without the losses that people were told of: this account is in a chat with the speaker by now. */
export const lostGroupsToHeal = (reads: Reads): LostGroup[] =>
  reads.all<LostRow>('SELECT * FROM lost_group WHERE healed = 0 AND told = 0').map(lostOf)

export function noteHealed(database: Database, group: GroupId): void {
  database.run('UPDATE lost_group SET healed = 1 WHERE group_id = ?', group)
}

/** Losses of which it is not known yet in which chat somebody was heard. */
export const lossesToTell = (reads: Reads): LostGroup[] =>
  reads.all<LostRow>('SELECT * FROM lost_group WHERE told = 0').map(lostOf)

export function noteLossTold(database: Database, group: GroupId): void {
  database.run('UPDATE lost_group SET told = 1 WHERE group_id = ?', group)
}

/** True when it was one. */
export const forgetLostGroup = (database: Database, group: GroupId): boolean =>
  database.run('DELETE FROM lost_group WHERE group_id = ?', group).changes > 0

/** Losses that people were told of are forgotten first, then those for which the speaker was asked and has not helped. */
type Times = { toldMs: number; healedMs: number }

const PAST = '(told = 1 AND ts < ?) OR (healed = 1 AND ts < ?)'

export const hasPastLosses = (reads: Reads, { toldMs, healedMs }: Times): boolean =>
  reads.get(`SELECT 1 FROM lost_group WHERE ${PAST}`, toldMs, healedMs) !== undefined

/** Who is heard there after that is a new loss. */
export function forgetPastLosses(database: Database, { toldMs, healedMs }: Times): void {
  database.run(`DELETE FROM lost_group WHERE ${PAST}`, toldMs, healedMs)
}
