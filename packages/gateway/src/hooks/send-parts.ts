// The messages of one attempt: each is sent once, however often it is tried, and can be asked for afterwards.
import type { Client } from '@postern/core'
import { type ChatId, CodedError, contentLimits, type MessageId, utf8 } from '@postern/protocol'
import { splitText } from './formats/split.ts'

export type Sending = { chat: ChatId; attempt: string; leftMs: () => number }

/** The id of the first. */
export async function sendParts(
  client: Client,
  { text: whole, replyTo }: { text: string; replyTo?: MessageId },
  { chat, attempt, leftMs }: Sending,
): Promise<MessageId> {
  let first: MessageId | undefined
  for (const [part, text] of splitText(whole, contentLimits.textCharsMax).entries()) {
    // Without mentions: what begins like a command must not be taken for one that the bot gives to another bot.
    const content = { text, mentions: [], ...(part === 0 && replyTo && { replyTo }) }
    const { id } = await client.sendText(chat, content, { deadlineMs: leftMs(), ...once(attempt, part) })
    first ??= id as MessageId
  }
  if (!first) throw new CodedError('internal')
  return first
}

/** The first message of an attempt, if the relay has it; what was in doubt is settled by that. */
export async function findWritten(client: Client, { chat, attempt, leftMs }: Sending): Promise<MessageId | undefined> {
  const message = await client.findSent(chat, { deadlineMs: leftMs(), ...once(attempt, 0) })
  return message?.id as MessageId | undefined
}

const once = (attempt: string, part: number) => ({
  idempotency: { key: `hook:${attempt}:${part}`, request: utf8(attempt) },
})
