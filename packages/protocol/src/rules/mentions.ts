// The rules for mentions: on whole characters, in order, without overlap.
import { contentLimits } from '../limits.ts'
import type { Fault } from './kept.ts'

type Span = { offset: number; length: number }

export const mentionsCountFault = (mentions: readonly unknown[]): Fault =>
  mentions.length > contentLimits.mentionsMax ? `must have at most ${contentLimits.mentionsMax} entries` : undefined

/** The first mention that does not fit the text, and the rule that it breaks. */
export function mentionFault(text: string, mentions: readonly Span[]): { at: number; rule: string } | undefined {
  let end = 0
  for (const [at, mention] of mentions.entries()) {
    const rule = spanFault(text, { ...mention, from: end })
    if (rule !== undefined) return { at, rule }
    end = mention.offset + mention.length
  }
  return undefined
}

/** The fitting ones, in order: the others are dropped from another person's message. */
export function fittingMentions<Mention extends Span>(text: string, mentions: readonly Mention[]): Mention[] {
  let end = 0
  return mentions.filter(mention => {
    if (spanFault(text, { ...mention, from: end }) !== undefined) return false
    end = mention.offset + mention.length
    return true
  })
}

/** `from`: the end of the span before it. */
export function spanFault(text: string, { offset, length, from }: Span & { from: number }): string | undefined {
  if (offset + length > text.length) return 'must end within the text'
  if (offset < from) return 'must be in the order of the text and must not overlap'
  return isInside(text, offset) || isInside(text, offset + length) ? 'must begin and end between characters' : undefined
}

/** Between the two halves of a surrogate pair. */
const isInside = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff
