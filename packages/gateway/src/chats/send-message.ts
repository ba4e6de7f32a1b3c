// Sends a text, and answers once the relay has stored it durably.
import { formattedWords, type TextMessage } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { type ChatId, gatewayLimits } from '@postern/protocol'
import { buttonsOf } from './buttons.ts'
import { idempotencyOf } from './idempotency.ts'

type TextToSend = { chat: ChatId; message: TextMessage; key: string | undefined }

export async function sendMessage(client: Client, { chat, message, key }: TextToSend): Promise<Message> {
  const { text, reply_to: replyTo, mentions, format, entities, buttons = [], silent, ...others } = message
  // A request field that is not passed on is a compile error.
  others satisfies Record<string, never>
  const options = {
    ...(replyTo && { replyTo }),
    ...(mentions && { mentions }),
    ...(buttons.length > 0 && { buttons: buttonsOf(buttons) }),
    ...(silent && { silent }),
  }
  const content = { ...options, ...formattedWords({ text, mentions, format, entities }) }
  // As it was asked for: another version may read the same Markdown in another way.
  const request = { send: chat, text, ...options, ...(format && { format }), ...(entities && { entities }) }
  const within = { timeoutMs: gatewayLimits.sendWithinMs }
  return await client.messages.sendText(chat, content, { ...within, ...idempotencyOf(key, request) })
}
