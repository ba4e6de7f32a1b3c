// Sends the messages of one attempt, each once, however often the attempt is retried.
import type { Client } from '@postern/core'
import {
  type ChatId,
  CodedError,
  contentLimits,
  fittingEntities,
  type MessageId,
  type TextEntity,
  utf8,
} from '@postern/protocol'
import type { HookText } from './formats/format.ts'
import { textParts } from './texts/split.ts'

/** The buttons are below the last part. */
export function partsOf({ text, entities = [], buttons }: HookText): HookText[] {
  const parts = textParts(text, contentLimits.textCharsMax)
  return parts.map((part, index) => {
    const inside = entities.length === 0 ? [] : fittingEntities(part.text, partEntities(part, entities))
    const hasButtons = buttons && buttons.length > 0 && index === parts.length - 1
    return { text: part.text, ...(inside.length > 0 && { entities: inside }), ...(hasButtons && { buttons }) }
  })
}

/** The entities within this part, counted from its beginning. */
const partEntities = (part: { at: number; text: string }, entities: readonly TextEntity[]): TextEntity[] =>
  entities.flatMap(entity => {
    const start = Math.max(entity.offset, part.at)
    const end = Math.min(entity.offset + entity.length, part.at + part.text.length)
    return start < end ? [{ ...entity, offset: start - part.at, length: end - start }] : []
  })

/** The chat of an attempt's messages, and the time that they may take. */
export type PartsTarget = { chat: ChatId; attempt: string; leftMs: () => number }

/** Returns the id of the first message. */
export async function sendParts(
  client: Client,
  { parts, replyTo, silent }: { parts: readonly HookText[]; replyTo: MessageId | undefined; silent: boolean },
  { chat, attempt, leftMs }: PartsTarget,
): Promise<MessageId> {
  let first: MessageId | undefined
  for (const [part, { text, entities, buttons }] of parts.entries()) {
    const extras = { ...(entities && { entities: [...entities] }), ...(buttons && { buttons }) }
    // Without mentions: a text that begins like a command must not look like the bot's command to another bot.
    const content = { text, mentions: [], silent, ...extras, ...(part === 0 && replyTo && { replyTo }) }
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
