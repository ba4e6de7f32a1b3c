// The part of a long text in which something was found.

export type Excerpt = { before: string; hit: string; after: string }

const BEFORE_UNITS = 24
const AFTER_UNITS = 140

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').toWellFormed()

/** Without a match, because core compares differently, the beginning. */
export function excerptOf(text: string, wanted: string): Excerpt {
  const at = text.toLowerCase().indexOf(wanted.toLowerCase())
  if (at < 0 || wanted === '') return { before: inOneLine(text.slice(0, AFTER_UNITS)), hit: '', after: '' }
  const from = Math.max(0, at - BEFORE_UNITS)
  const end = at + wanted.length
  return {
    before: `${from > 0 ? '…' : ''}${inOneLine(text.slice(from, at))}`,
    hit: inOneLine(text.slice(at, end)),
    after: inOneLine(text.slice(end, end + AFTER_UNITS)),
  }
}
