// A short text that all members of an epoch share. Two members with different ones were shown two histories.
import { epochAuthenticator, type GroupSession } from '@postern/mls'
import { clientLimits, type GroupId, toBase64Url } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

export type EpochMark = { group: GroupId; epoch: number; mark: string }

/** Long enough that nobody finds a second epoch with the same mark. */
const MARK_BYTES = 16

export const markOf = (session: GroupSession): string =>
  toBase64Url(epochAuthenticator(session).subarray(0, MARK_BYTES))

export function noteMark(database: Database, { group, epoch, mark }: EpochMark): void {
  database.run('INSERT OR REPLACE INTO epoch_mark VALUES (?, ?, ?)', group, epoch, mark)
  const before = epoch - clientLimits.epochMarksKept
  database.run('DELETE FROM epoch_mark WHERE group_id = ? AND epoch <= ?', group, before)
  // Without its mark, an epoch cannot be compared any more: a member could otherwise leave a question in each.
  database.run('DELETE FROM mark_question WHERE group_id = ? AND epoch <= ?', group, before)
}

/** Undefined when the epoch is too long ago, or this account was not in it. */
export const findMark = (reads: Pick<Store, 'get'>, group: GroupId, epoch: number): string | undefined =>
  reads.get<{ mark: string }>('SELECT mark FROM epoch_mark WHERE group_id = ? AND epoch = ?', group, epoch)?.mark

/** The newest known mark. */
export const newestMark = (reads: Pick<Store, 'get'>, group: GroupId): EpochMark | undefined =>
  reads.get<EpochMark>(
    'SELECT group_id AS "group", epoch, mark FROM epoch_mark WHERE group_id = ? ORDER BY epoch DESC LIMIT 1',
    group,
  )
