// Sends a text, and answers once the relay has stored it durably.
import type { TextMessage } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { type ChatId, gatewayLimits } from '@postern/protocol'
import { buttonsOf } from './buttons.ts'
import { idempotencyOf } from './idempotency.ts'

type TextToSend = { chat: ChatId; message: TextMessage; key: string | undefined }

export async function sendMessage(client: Client, { chat, message, key }: TextToSend): Promise<Message> {
  const { text, reply_to: replyTo, mentions, buttons = [], ...others } = message
  // A request field that is not passed on is a compile error.
  others satisfies Record<string, never>
  const content = {
    text,
    ...(replyTo && { replyTo }),
    ...(mentions && { mentions }),
    ...(buttons.length > 0 && { buttons: buttonsOf(buttons) }),
  }
  const within = { timeoutMs: gatewayLimits.sendWithinMs }
  return await client.messages.sendText(chat, content, { ...within, ...idempotencyOf(key, { send: chat, ...content }) })
}
