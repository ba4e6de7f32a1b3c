// The tally of a poll. It uses the relay's times alone, so it is the same on every side in whatever order votes arrive.
import type { Person, Poll } from '@postern/bot-api/objects'
import type { AccountId, MessageId } from '@postern/protocol'
import type { PollBody } from '@postern/protocol/content'
import { shownPerson } from '../identity/people.ts'
import type { Store } from '../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

export type PollRow = {
  message_id: MessageId
  /** When it closes automatically. */
  close_ts: number | null
  /** When its sender closed it. */
  closed_ts: number | null
  /** Whether its end was reported. */
  closed: number
}

type Vote = { account_id: AccountId; options: string; ts: number; name: string | null; bot: number | null }

export const findPoll = (reads: Pick<Reads, 'get'>, message: MessageId): PollRow | undefined =>
  reads.get<PollRow>('SELECT * FROM poll WHERE message_id = ?', message)

/** Votes from this time on do not count. */
export const endTs = (poll: PollRow | undefined): number =>
  Math.min(poll?.close_ts ?? Number.MAX_SAFE_INTEGER, poll?.closed_ts ?? Number.MAX_SAFE_INTEGER)

/**
 * The last vote of each person before the end, in the order in which they were given. The query includes the names, and
 * the sort is here: a query for each of two hundred voters, and a sort in SQLite, took most of the time of a vote.
 */
function countedVotes(reads: Pick<Reads, 'all'>, message: MessageId, beforeTs: number): Vote[] {
  const votes = reads.all<Vote>(
    `SELECT account_id, options, ts, name, bot FROM vote LEFT JOIN person USING (account_id)
     WHERE message_id = ? AND ts < ? ORDER BY account_id, ts`,
    message,
    beforeTs,
  )
  const isLast = (vote: Vote, at: number) => votes[at + 1]?.account_id !== vote.account_id
  return votes.filter(isLast).sort((one, other) => one.ts - other.ts)
}

/** The vote of one person that counts, as stored: indexes in rising order. */
export function countedVote(reads: Pick<Reads, 'get'>, poll: PollRow, voter: AccountId): string {
  const last = reads.get<{ options: string }>(
    'SELECT options FROM vote WHERE message_id = ? AND account_id = ? AND ts < ? ORDER BY ts DESC LIMIT 1',
    poll.message_id,
    voter,
    endTs(poll),
  )
  return last?.options ?? '[]'
}

type TallyView = { reads: Reads; own: AccountId }

export function viewPoll({ reads, own }: TallyView, message: MessageId, body: PollBody): Poll {
  const poll = findPoll(reads, message)
  const votes = countedVotes(reads, message, endTs(poll))
  const voters = votersOf(votes, body.options.length)
  return {
    question: body.question,
    multiple: body.multiple,
    ...(body.closeTs !== undefined && { close_ts: body.closeTs }),
    closed: poll?.closed === 1 || (poll?.closed_ts ?? null) !== null,
    options: body.options.map((text, at) => ({ text, votes: voters[at]?.length ?? 0, voters: voters[at] ?? [] })),
    voted: indexesOf(votes.find(vote => vote.account_id === own)?.options ?? '[]'),
  }
}

const indexesOf = (options: string): number[] => JSON.parse(options) as number[]

/** The voters of each option, in the order of their votes. */
function votersOf(votes: readonly Vote[], options: number): Person[][] {
  const voters: Person[][] = Array.from({ length: options }, () => [])
  // Most people choose as others did: each distinct choice is parsed once.
  const choices = new Map<string, number[]>()
  for (const vote of votes) {
    const chosen = choices.get(vote.options) ?? indexesOf(vote.options)
    choices.set(vote.options, chosen)
    const person = shownPerson(vote.account_id, vote)
    for (const at of chosen) voters[at]?.push(person)
  }
  return voters
}
