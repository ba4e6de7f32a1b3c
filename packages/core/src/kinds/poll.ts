// A poll: the limits of its question, options and closing time.
import { assertKept, CodedError, optionFault, optionsCountFault, questionFault } from '@postern/protocol'
import type { PollBody } from '@postern/protocol/content'
import { viewPoll } from '../messages/poll-tally.ts'
import { insertPoll } from '../messages/polls.ts'
import { assertButtons } from './buttons.ts'
import type { Kind } from './kind.ts'
import { applyMessage } from './new-message.ts'
import { assertSpans, viewWords } from './text-rules.ts'

/** Without the timer, which is the chat's. */
export type NewPoll = Omit<PollBody, 'kind' | 'timerMs'>

export const poll = {
  way: 'in the chat',
  check: (core, _chat, { question, options, mentions, buttons }) => {
    assertKept('question', questionFault(question))
    assertKept('options', optionsCountFault(options))
    for (const [at, option] of options.entries()) assertKept(`options[${at}]`, optionFault(option))
    assertSpans(question, { mentions })
    assertButtons(core, buttons ?? [])
  },
  body: (core, _chat, { question, options, multiple, closeTs, mentions, buttons, replyTo, silent, ...others }) => {
    // A field of a new message that is not passed on does not compile.
    others satisfies Record<string, never>
    // Checked for a new poll only:
    // one that is repeated under its key may have closed meanwhile, and is answered all the same.
    if (closeTs !== undefined && closeTs <= core.clock.nowMs())
      throw new CodedError('bad-field', { field: 'close_ts', rule: 'must be in the future' })
    return {
      kind: 'poll',
      question,
      options,
      multiple,
      ...(closeTs !== undefined && { closeTs }),
      ...(mentions && mentions.length > 0 && { mentions }),
      ...(buttons && buttons.length > 0 && { buttons }),
      ...(replyTo && { replyTo }),
      ...(silent && { silent }),
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
    ...viewWords(body),
    poll: viewPoll(around, row.id, body),
  }),
} satisfies Kind<'poll', NewPoll>
