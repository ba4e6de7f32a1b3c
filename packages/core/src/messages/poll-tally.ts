// The tally of a poll: by the relay's times alone, so that it is the same on every side in whatever order votes arrive.
import type { Person, Poll } from '@postern/bot-api/objects'
import type { AccountId, MessageId } from '@postern/protocol'
import type { PollBody } from '@postern/protocol/content'
import type { Store } from '../storage/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

export type PollRow = {
  message_id: MessageId
  /** When it closes by itself. */
  close_ts: number | null
  /** When its sender closed it. */
  closed_ts: number | null
  /** Whether it was told that it is closed. */
  closed: number
}

type Vote = { account_id: AccountId; options: number[] }

export const findPoll = (reads: Pick<Reads, 'get'>, message: MessageId): PollRow | undefined =>
  reads.get<PollRow>('SELECT * FROM poll WHERE message_id = ?', message)

/** What is voted from then on does not count. */
export const endTs = (poll: PollRow | undefined): number =>
  Math.min(poll?.close_ts ?? Number.MAX_SAFE_INTEGER, poll?.closed_ts ?? Number.MAX_SAFE_INTEGER)

/** The last vote of each before the end, in the order in which they were given. */
function countedVotes(reads: Pick<Reads, 'all'>, message: MessageId, beforeTs: number): Vote[] {
  return reads
    .all<{ account_id: AccountId; options: string }>(
      // Beside max(), SQLite gives the other columns of the row that has it.
      `SELECT account_id, options, max(ts) AS last FROM vote WHERE message_id = ? AND ts < ?
       GROUP BY account_id ORDER BY last`,
      message,
      beforeTs,
    )
    .map(({ account_id, options }) => ({ account_id, options: JSON.parse(options) as number[] }))
}

/** What one person's vote comes to, as it is stored: indexes in rising order. */
export function countedVote(reads: Pick<Reads, 'get'>, poll: PollRow, voter: AccountId): string {
  const last = reads.get<{ options: string }>(
    'SELECT options FROM vote WHERE message_id = ? AND account_id = ? AND ts < ? ORDER BY ts DESC LIMIT 1',
    poll.message_id,
    voter,
    endTs(poll),
  )
  return last?.options ?? '[]'
}

type TallyView = { reads: Reads; own: AccountId; person: (account: AccountId) => Person }

export function viewPoll({ reads, own, person }: TallyView, message: MessageId, body: PollBody): Poll {
  const poll = findPoll(reads, message)
  const votes = countedVotes(reads, message, endTs(poll))
  return {
    question: body.question,
    multiple: body.multiple,
    ...(body.closeTs !== undefined && { close_ts: body.closeTs }),
    closed: poll?.closed === 1 || (poll?.closed_ts ?? null) !== null,
    options: body.options.map((text, at) => {
      const voters = votes.filter(vote => vote.options.includes(at)).map(vote => person(vote.account_id))
      return { text, votes: voters.length, voters }
    }),
    voted: votes.find(vote => vote.account_id === own)?.options ?? [],
  }
}
