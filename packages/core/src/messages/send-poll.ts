// Asking in a poll: the limits of the question, of its options and of its end.
import type { Message } from '@postern/bot-api/objects'
import {
  assertKept,
  type ChatId,
  CodedError,
  contentLimits,
  type MessageId,
  nameFault,
  shownFault,
} from '@postern/protocol'
import type { Core } from '../context.ts'
import { type Sending, sendMessage } from './send-message.ts'

export type NewPoll = { question: string; options: string[]; multiple: boolean; closeTs?: number; replyTo?: MessageId }

type PollSending = Omit<Sending, 'body'> & { poll: NewPoll }

export async function sendPoll(core: Core, chat: ChatId, { poll, ...sending }: PollSending): Promise<Message> {
  const { question, options, multiple, closeTs, replyTo } = poll
  assertKept('question', shownFault(question, contentLimits.pollQuestionCharsMax))
  const { pollOptionsMin: min, pollOptionsMax: max } = contentLimits
  if (options.length < min || options.length > max)
    throw new CodedError('bad-field', { field: 'options', rule: `${min} to ${max} are required` })
  for (const [at, option] of options.entries())
    assertKept(`options[${at}]`, nameFault(option, contentLimits.pollOptionCharsMax))
  // Only a new one: what is repeated under its key may have closed meanwhile, and is answered all the same.
  const body = () => {
    if (closeTs !== undefined && closeTs <= core.clock.nowMs())
      throw new CodedError('bad-field', { field: 'close_ts', rule: 'a time in the future is required' })
    return {
      kind: 'poll' as const,
      question,
      options,
      multiple,
      ...(closeTs !== undefined && { closeTs }),
      ...(replyTo && { replyTo }),
    }
  }
  return await sendMessage(core, chat, { ...sending, body })
}
