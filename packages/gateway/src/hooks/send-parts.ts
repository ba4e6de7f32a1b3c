// Sends the messages of one attempt, each once, however often the attempt is retried.
import type { Client } from '@postern/core'
import { type ChatId, CodedError, contentLimits, type MessageId, utf8 } from '@postern/protocol'
import { splitText } from './texts/split.ts'

export const partsOf = (text: string): string[] => splitText(text, contentLimits.textCharsMax)

/** The chat of an attempt's messages, and the time that they may take. */
export type PartsTarget = { chat: ChatId; attempt: string; leftMs: () => number }

/** Returns the id of the first message. */
export async function sendParts(
  client: Client,
  { parts, replyTo }: { parts: readonly string[]; replyTo: MessageId | undefined },
  { chat, attempt, leftMs }: PartsTarget,
): Promise<MessageId> {
  let first: MessageId | undefined
  for (const [part, text] of parts.entries()) {
    // Without mentions: a text that begins like a command must not look like the bot's command to another bot.
    const content = { text, mentions: [], ...(part === 0 && replyTo && { replyTo }) }
    const { id } = await client.messages.sendText(chat, content, { timeoutMs: leftMs(), ...once(attempt, part) })
    first ??= id
  }
  if (!first) throw new CodedError('internal')
  return first
}

/** The first message of an attempt, if the relay has it; this settles a message in doubt. */
export async function findWritten(
  client: Client,
  { chat, attempt, leftMs }: PartsTarget,
): Promise<MessageId | undefined> {
  const message = await client.messages.findSent(chat, { timeoutMs: leftMs(), ...once(attempt, 0) })
  return message?.id
}

/** As far as it is known locally: after a kill, only once the relay was reached. */
export const isPartSent = (client: Client, { attempt, part }: { attempt: string; part: number }): boolean =>
  client.messages.wasSent(keyOf(attempt, part))

const keyOf = (attempt: string, part: number): string => `hook:${attempt}:${part}`

const once = (attempt: string, part: number) => ({
  idempotency: { key: keyOf(attempt, part), request: utf8(attempt) },
})
