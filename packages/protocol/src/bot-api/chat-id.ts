// A chat's id as a caller wrote it: what is no id names a chat that does not exist.
import { CodedError } from '../errors.ts'
import { type ChatId, groupChatId, isAccountId, isGroupId, privateChatId } from '../ids.ts'

export function chatIdOf(text: string): ChatId {
  if (isAccountId(text)) return privateChatId(text)
  if (isGroupId(text)) return groupChatId(text)
  throw new CodedError('chat-not-found', { chat: text })
}
