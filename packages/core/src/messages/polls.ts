// The records of polls and votes.
import { type AccountId, type ChatId, clientLimits, type MessageId } from '@postern/protocol'
import type { PollBody } from '@postern/protocol/content'
import type { Core } from '../context.ts'
import type { Database } from '../storage/database.ts'
import { dueMs } from './age.ts'
import { bodyOf, lookUpMessage, type MessageRow } from './messages.ts'
import { findPoll, type PollRow } from './poll-tally.ts'

export type PollMessage = { row: MessageRow; body: PollBody; poll: PollRow }

export function lookUpPoll(reads: Pick<Database, 'get'>, chat: ChatId, message: MessageId): PollMessage | undefined {
  const row = lookUpMessage(reads, chat, message)
  const poll = findPoll(reads, message)
  const body = row && bodyOf(row)
  return row && poll && body?.kind === 'poll' ? { row, body, poll } : undefined
}

export function insertPoll(database: Database, message: MessageId, closeTs: number | undefined): void {
  database.run('INSERT INTO poll (message_id, close_ts) VALUES (?, ?)', message, closeTs ?? null)
}

type VoteRecord = { message: MessageId; voter: AccountId; ts: number; options: number[] }

export function insertVote(database: Database, { message, voter, ts, options }: VoteRecord): void {
  const sorted = JSON.stringify([...options].sort((a, b) => a - b))
  database.run('INSERT OR IGNORE INTO vote VALUES (?, ?, ?, ?)', message, voter, ts, sorted)
  // Earlier votes are kept: the end of the poll may still turn out to be before the later ones.
  database.run(
    `DELETE FROM vote WHERE message_id = ? AND account_id = ? AND ts <= (
       SELECT ts FROM vote WHERE message_id = ? AND account_id = ? ORDER BY ts DESC LIMIT 1 OFFSET ?)`,
    message,
    voter,
    message,
    voter,
    clientLimits.votesPerVoterMax,
  )
}

/** When the account last voted. Undefined if it has not voted. */
export const lastVoteTs = (reads: Pick<Database, 'get'>, message: MessageId, voter: AccountId): number | undefined =>
  reads.get<{ ts: number | null }>(
    'SELECT max(ts) AS ts FROM vote WHERE message_id = ? AND account_id = ?',
    message,
    voter,
  )?.ts ?? undefined

export function noteClosing(database: Database, message: MessageId, ts: number): void {
  database.run('UPDATE poll SET closed_ts = ? WHERE message_id = ?', ts, message)
}

export function noteEndTold(database: Database, message: MessageId): void {
  database.run('UPDATE poll SET closed = 1 WHERE message_id = ?', message)
}

type Times = Pick<Core, 'store' | 'clock' | 'elapsed'>

/** The next closing time among open polls. A chore closes a poll whose time has come. */
export const nextPollCloseTs = (core: Times): number | undefined =>
  core.store.get<{ ts: number | null }>(
    'SELECT min(close_ts) AS ts FROM poll WHERE closed = 0 AND close_ts > ?',
    dueMs(core),
  )?.ts ?? undefined

/** The last closing time among polls whose time has come and whose end was not reported. */
export const lastDueCloseTs = (core: Times): number | undefined =>
  core.store.get<{ ts: number | null }>(
    'SELECT max(close_ts) AS ts FROM poll WHERE closed = 0 AND close_ts <= ?',
    dueMs(core),
  )?.ts ?? undefined

/** Polls that this account closed and whose end was not reported. */
export const closedHere = ({ store }: Pick<Core, 'store'>): MessageId[] =>
  store
    .all<{ id: MessageId }>('SELECT message_id AS id FROM poll WHERE closed = 0 AND closed_ts IS NOT NULL')
    .map(({ id }) => id)

/** A batch of polls whose end was not reported: those that closed by time until then, and those that are named. */
export const endedPolls = (
  reads: Pick<Database, 'all'>,
  { untilTs, closed }: { untilTs: number; closed: MessageId[] },
): (MessageRow & { end_ts: number })[] =>
  reads.all(
    `SELECT message.*, coalesce(poll.closed_ts, poll.close_ts) AS end_ts
     FROM poll CROSS JOIN message ON message.id = poll.message_id
     WHERE poll.closed = 0 AND (poll.close_ts <= ? OR poll.message_id IN (SELECT value FROM json_each(?)))
     ORDER BY end_ts LIMIT 0 + ?`,
    untilTs,
    JSON.stringify(closed),
    clientLimits.expirePerTurnMax,
  )
