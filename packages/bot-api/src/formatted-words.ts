// The words of a request as they are sent: Markdown becomes a text with entities, and mentions move with their words.
import type { TextEntity } from '@postern/protocol'
import { parseMarkdown } from '@postern/protocol/markdown'
import type { z } from 'zod'
import type { newMention } from './field-rules.ts'

type Mentions = z.infer<typeof newMention>[]
type AskedWords = {
  text: string
  mentions?: Mentions | undefined
  entities?: TextEntity[] | undefined
  format?: 'markdown' | undefined
}
type FormattedWords = { text: string; mentions?: Mentions; entities?: TextEntity[] }

/** Mentions of Markdown are positions of it as it was written; one that covers only marks is left out. */
export function formattedWords({ text, mentions, entities, format }: AskedWords): FormattedWords {
  if (format === undefined) return { text, ...(mentions && { mentions }), ...(entities && { entities }) }
  const parsed = parseMarkdown(text)
  const moved = mentions?.map(({ user, offset, length }) => {
    const from = parsed.place(offset)
    return { user, offset: from, length: parsed.place(offset + length) - from }
  })
  return {
    text: parsed.text,
    ...(moved && { mentions: moved.filter(({ length }) => length > 0) }),
    ...(parsed.entities.length > 0 && { entities: parsed.entities }),
  }
}
