// The end of a poll, sent by its sender: later votes do not count.
import { CodedError, type MessageId } from '@postern/protocol'
import { applied, ignored } from '../messages/outcome.ts'
import { lookUpPoll, noteClosing, noteEndTold } from '../messages/polls.ts'
import { runDeferred } from '../storage/transactions/before-commit.ts'
import type { Kind } from './kind.ts'
import { assertOpen, findPollMessage } from './open-poll.ts'

export const close = {
  way: 'in the chat',
  check: (core, chat, { message }) => {
    const asked = findPollMessage(core, chat, message)
    if (asked.row.sender !== core.own.id) throw new CodedError('not-own-poll')
    assertOpen(core, asked)
  },
  body: (_core, _chat, { message }) => ({ kind: 'close', target: message }),
  apply: (core, database, { chat, sender, ts, body }) => {
    const asked = lookUpPoll(database, chat.id, body.target)
    if (!asked) return ignored('no such poll')
    if (asked.row.sender !== sender) return ignored("not the sender's message")
    if ((asked.poll.closed_ts ?? Infinity) <= ts) return ignored('closed before')
    // Earlier votes are reported with the poll still open: its end is one event, after the last of them.
    runDeferred(database)
    noteClosing(database, body.target, ts)
    if (asked.poll.closed) return ignored('closed before')
    // The relay may have accepted votes before our own closing that are not read yet: a chore reports the end.
    if (sender === core.own.id) {
      core.wakeChores()
      return applied
    }
    noteEndTold(database, body.target)
    return { kind: 'applied', about: { type: 'poll', message: body.target, by: undefined, ts } }
  },
} satisfies Kind<'close', { message: MessageId }>
