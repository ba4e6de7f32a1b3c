// The text of a streamed draft. A frame has a limited size: it contains the end of a long text, and its receiver keeps
// what came before. Frames may be lost, so each shows as much as fits.
import { clientLimits, contentLimits, type TextEntity, utf8 } from '@postern/protocol'
import type { DraftPart } from '@postern/protocol/content'
import { parseMarkdown } from '@postern/protocol/markdown'

/** `from`: where it begins in the sender's text, in UTF-16 units. Above 0, an earlier frame was lost. */
export type DraftText = { from: number; text: string; markdown: boolean }

export type DraftWords = { text: string; entities?: TextEntity[] }

/** The whole text, or as much of its end as a frame has space for. */
export function draftPartOf(text: string, markdown: boolean): DraftPart {
  const whole = text.toWellFormed()
  let bytesLeft = clientLimits.draftBytesMax
  let at = whole.length
  for (const sign of [...whole].reverse()) {
    // As JSON, where a line break takes two bytes.
    bytesLeft -= utf8(JSON.stringify(sign)).length - 2
    if (bytesLeft < 0) break
    at -= sign.length
  }
  return { at, text: whole.slice(at), ...(markdown && { markdown }) }
}

/** A part that begins within the known text or at its end replaces the rest of it. */
export function joinDraft(known: DraftText | undefined, { at, text, markdown = false }: DraftPart): DraftText {
  const fits = known && known.from <= at && at <= known.from + known.text.length
  const joined = fits ? known.text.slice(0, at - known.from) + text : text
  // A modified client can put many parts behind each other.
  return { from: fits ? known.from : at, text: firstSigns(joined), markdown }
}

const firstSigns = (text: string): string =>
  text.length <= contentLimits.textCharsMax ? text : [...text].slice(0, contentLimits.textCharsMax).join('')

export function draftWords({ from, text, markdown }: DraftText): DraftWords {
  const said = (from > 0 ? `…${text}` : text).toWellFormed()
  if (!markdown) return { text: said }
  const parsed = parseMarkdown(said)
  return { text: parsed.text, ...(parsed.entities.length > 0 && { entities: parsed.entities }) }
}
