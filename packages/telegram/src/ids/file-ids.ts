// The file_id of a file: the chat and the message that has it.
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, isChatId, isMessageId, type MessageId } from '@postern/protocol'
import { badRequest } from '../telegram-error.ts'

export const fileIdOf = ({ chat_id: chat, id }: Pick<Message, 'chat_id' | 'id'>): string => `${chat}-${id}`

/** Also of a path: there the id has the ending of the file's name. */
export function readFileId(text: string): { chat: ChatId; message: MessageId } {
  const [chat = '', message = ''] = text.replace(/\..*$/s, '').split('-', 2)
  if (!isChatId(chat) || !isMessageId(message)) throw badRequest('wrong file_id or the file is temporarily unavailable')
  return { chat, message }
}

export const filePathOf = (fileId: string, name: string): string =>
  `${fileId}${/\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? ''}`
