// A text from the bot, answered once the relay has it durably.
import type { Client } from '@postern/core'
import { type ChatId, CodedError, gatewayLimits, isCoded, type MessageId } from '@postern/protocol'
import type { TextMessage } from '@postern/protocol/bot-api'
import type { Message } from '@postern/protocol/objects'

export async function sendMessage(client: Client, chat: ChatId, message: TextMessage): Promise<Message> {
  const { text, reply_to: replyTo, mentions } = message
  if (replyTo) checkIsThere(client, chat, replyTo)
  const within = { deadlineMs: gatewayLimits.sendWithinMs }
  return await client.sendText(chat, { text, ...(replyTo && { replyTo }), ...(mentions && { mentions }) }, within)
}

/** A reply to nothing is a wrong parameter: the chat that is written to exists, or is about to. */
function checkIsThere(client: Client, chat: ChatId, message: MessageId): void {
  try {
    client.message(chat, message)
  } catch (error) {
    if (!isCoded(error, 'message-not-found', 'chat-not-found')) throw error
    throw new CodedError('bad-field', { field: 'reply_to', rule: 'there is no such message in this chat' })
  }
}
