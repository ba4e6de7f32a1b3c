// A vote in a poll: everything that the voter chooses now. The last vote of each person before the end counts.
import { CodedError, type Deadline, type MessageId } from '@postern/protocol'
import type { PollBody } from '@postern/protocol/content'
import type { Core } from '../context.ts'
import { readToEnd } from '../groups/read-to-end.ts'
import { messageById } from '../messages/messages.ts'
import { applied, ignored } from '../messages/outcome.ts'
import { countedVote, endTs, findPoll } from '../messages/poll-tally.ts'
import { insertVote, lastVoteTs, lookUpPoll } from '../messages/polls.ts'
import type { Kind } from './kind.ts'
import { assertOpen, findPollMessage } from './open-poll.ts'

/** An empty list of options takes the vote back. */
export type NewVote = { message: MessageId; options: number[] }

export const vote = {
  way: 'in the chat',
  check: (core, chat, { message, options }) => {
    const asked = findPollMessage(core, chat, message)
    assertOpen(core, asked)
    const { body } = asked
    if (isVote(body, options)) return
    const last = body.options.length - 1
    const rule = body.multiple
      ? `must be indexes from 0 to ${last}, each at most once`
      : `must be one index from 0 to ${last}, or empty`
    throw new CodedError('bad-field', { field: 'options', rule })
  },
  body: (_core, _chat, { message, options }) => ({ kind: 'vote', target: message, options }),
  apply: (core, database, { chat, sender, ts, body }) => {
    const asked = lookUpPoll(database, chat.id, body.target)
    if (!asked) return ignored('no such poll')
    if (!isVote(asked.body, body.options)) return ignored('no vote in this poll')
    const { poll } = asked
    const before = countedVote(database, poll, sender)
    insertVote(database, { message: body.target, voter: sender, ts, options: body.options })
    const hasChanged = countedVote(database, poll, sender) !== before
    // Kept all the same: the end of the poll may still turn out to be another.
    if (ts >= endTs(poll) && !hasChanged) return ignored('vote after the end')
    // The end of a poll that was closed here is still to be reported, and includes this vote.
    const isEnding = poll.closed_ts !== null && !poll.closed
    if (sender === core.own.id || isEnding || !hasChanged) return applied
    return { kind: 'applied', about: { type: 'poll', message: body.target, by: undefined, ts } }
  },
} satisfies Kind<'vote', NewVote>

/**
 * After a vote of ours: the relay may have accepted it when the poll was over. Another's closing may be in the log before the
 * vote, and not have arrived yet.
 */
export async function assertCounted(
  { store, own, link }: Pick<Core, 'store' | 'own' | 'link'>,
  message: MessageId,
  deadline: Deadline,
): Promise<void> {
  if (messageById(store, message)?.sender !== own.id)
    await readToEnd({ link, store }, deadline).catch((cause: unknown) => {
      throw new CodedError('send-in-doubt', {}, { cause })
    })
  if ((lastVoteTs(store, message, own.id) ?? 0) >= endTs(findPoll(store, message))) throw new CodedError('poll-closed')
}

const isVote = (poll: PollBody, options: number[]): boolean =>
  (poll.multiple || options.length <= 1) &&
  new Set(options).size === options.length &&
  options.every(option => Number.isInteger(option) && option >= 0 && option < poll.options.length)
