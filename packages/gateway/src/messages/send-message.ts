// A text from the bot, answered once the relay has it durably.
import type { Client } from '@postern/core'
import { type ChatId, gatewayLimits } from '@postern/protocol'
import type { TextMessage } from '@postern/protocol/bot-api'
import type { Message } from '@postern/protocol/objects'

export async function sendMessage(client: Client, chat: ChatId, message: TextMessage): Promise<Message> {
  const { text, reply_to: replyTo, mentions } = message
  const within = { deadlineMs: gatewayLimits.sendWithinMs }
  return await client.sendText(chat, { text, ...(replyTo && { replyTo }), ...(mentions && { mentions }) }, within)
}
