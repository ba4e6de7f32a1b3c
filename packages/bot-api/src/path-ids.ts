// Parses ids in paths. A text that is not a valid id names something that does not exist.
import {
  type AccountId,
  type ChatId,
  CodedError,
  groupChatId,
  isAccountId,
  isGroupId,
  isMessageId,
  isPressId,
  type MessageId,
  type PressId,
  privateChatId,
} from '@postern/protocol'

export function chatIdOf(text: string): ChatId {
  if (isAccountId(text)) return privateChatId(text)
  if (isGroupId(text)) return groupChatId(text)
  throw new CodedError('chat-not-found', { chat: text })
}

export function accountIdOf(text: string): AccountId {
  if (isAccountId(text)) return text
  throw new CodedError('account-not-found', { account: text })
}

export function messageIdOf(text: string): MessageId {
  if (isMessageId(text)) return text
  throw new CodedError('message-not-found', { message: text })
}

export function pressIdOf(text: string): PressId {
  if (isPressId(text)) return text
  throw new CodedError('press-not-found', { press: text })
}
