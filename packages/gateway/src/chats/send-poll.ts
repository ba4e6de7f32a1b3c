// Sends a poll, and answers once the relay has stored it durably.
import type { NewPollRequest } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { type ChatId, gatewayLimits } from '@postern/protocol'
import { buttonsOf } from './buttons.ts'
import { idempotencyOf } from './idempotency.ts'

type PollToSend = { chat: ChatId; poll: NewPollRequest; key: string | undefined }

export async function sendPoll(client: Client, { chat, poll, key }: PollToSend): Promise<Message> {
  const { question, options, multiple = false, close_ts: closeTs, ...rest } = poll
  const { reply_to: replyTo, silent, mentions, buttons = [], ...others } = rest
  // A request field that is not passed on is a compile error.
  others satisfies Record<string, never>
  const content = {
    question,
    options,
    multiple,
    ...(closeTs && { closeTs }),
    ...(replyTo && { replyTo }),
    ...(silent && { silent }),
    ...(mentions && { mentions }),
    ...(buttons.length > 0 && { buttons: buttonsOf(buttons) }),
  }
  const within = { timeoutMs: gatewayLimits.sendWithinMs }
  return await client.messages.sendPoll(chat, content, { ...within, ...idempotencyOf(key, { poll: chat, ...content }) })
}
