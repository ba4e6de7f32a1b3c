// A poll: the limits of the question, of its options and of its end.
import { assertKept, CodedError, optionFault, optionsCountFault, questionFault } from '@postern/protocol'
import type { PollBody } from '@postern/protocol/content'
import { viewPoll } from '../messages/poll-tally.ts'
import { insertPoll } from '../messages/polls.ts'
import type { Kind } from './kind.ts'
import { applyMessage } from './new-message.ts'

/** The timer is the chat's. */
export type NewPoll = Omit<PollBody, 'kind' | 'timerMs'>

export const poll = {
  way: 'in the chat',
  check: (_core, _chat, { question, options }) => {
    assertKept('question', questionFault(question))
    assertKept('options', optionsCountFault(options))
    for (const [at, option] of options.entries()) assertKept(`options[${at}]`, optionFault(option))
  },
  body: (core, _chat, { question, options, multiple, closeTs, replyTo, ...others }) => {
    // A field of a new message that is passed on by nobody does not compile.
    others satisfies Record<string, never>
    // Only of a new one: what is repeated under its key may have closed meanwhile, and is answered all the same.
    if (closeTs !== undefined && closeTs <= core.clock.nowMs())
      throw new CodedError('bad-field', { field: 'close_ts', rule: 'must be in the future' })
    return {
      kind: 'poll',
      question,
      options,
      multiple,
      ...(closeTs !== undefined && { closeTs }),
      ...(replyTo && { replyTo }),
    }
  },
  apply: (core, database, said) => {
    const outcome = applyMessage(core, database, said)
    if (outcome.kind === 'ignored') return outcome
    insertPoll(database, said.id, said.body.closeTs)
    if (said.body.closeTs !== undefined) core.rescheduleTimers()
    return outcome
  },
  view: (around, row, body) => ({
    ...(body.replyTo && { reply_to: body.replyTo }),
    poll: viewPoll(around, row.id, body),
  }),
} satisfies Kind<'poll', NewPoll>
