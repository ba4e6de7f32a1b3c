// Finds the poll for a vote or a closing. Throws unless it exists and is open.
import { type ChatId, CodedError, type MessageId } from '@postern/protocol'
import { visibleChat } from '../chats/records/chats.ts'
import { dueMs } from '../messages/age.ts'
import { findMessage } from '../messages/messages.ts'
import { endTs } from '../messages/poll-tally.ts'
import { lookUpPoll, type PollMessage } from '../messages/polls.ts'
import type { ValidateContext } from './kind.ts'

export function findPollMessage(
  { store }: Pick<ValidateContext, 'store'>,
  chat: ChatId,
  message: MessageId,
): PollMessage {
  findMessage(store, visibleChat(store, chat).id, message)
  const asked = lookUpPoll(store, chat, message)
  if (!asked) throw new CodedError('not-a-poll')
  return asked
}

export function assertOpen(core: ValidateContext, { poll }: PollMessage): void {
  if (poll.closed || dueMs(core) >= endTs(poll)) throw new CodedError('poll-closed')
}
