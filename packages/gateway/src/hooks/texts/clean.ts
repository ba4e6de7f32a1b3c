// Makes untrusted text safe for a message: removes characters that hide, reorder or break out.

/** Line ends and tabs stay; the other control characters have no picture. */
const controls = /(?![\n\t])\p{Cc}|[\ufff9-\ufffb]/gu
/** They turn the rest of a line round, also that which others have written. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/g
/** Nobody sees them, and in a short field nobody needs them. */
const unseen = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\ufeff]/g

/** A text of several lines, as it is but for what must not be in it. */
export const cleanText = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replaceAll(controls, '').replaceAll(reordering, '').toWellFormed()

/** Nobody would see a message of it. */
export const isBlank = (text: string): boolean => text.replaceAll(unseen, '').trim() === ''

/** Most fields have none of it: they are words of ASCII with one space between them. */
const toBeCleaned = /[^ -~]|^ | $| {2}/

/** A field in one line; whatever is no text or number is an empty one. */
export function oneLine(value: unknown): string {
  if (typeof value !== 'string' && !Number.isFinite(value)) return ''
  if (typeof value === 'string' && !toBeCleaned.test(value)) return value
  return String(value)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(controls, '')
    .replaceAll(reordering, '')
    .replaceAll(unseen, '')
    .toWellFormed()
    .trim()
}

/** An address that people may open, or nothing: one that is cut leads nowhere. */
export function webAddress(value: unknown, charsMax: number): string {
  if (typeof value !== 'string' || value.length > charsMax || !URL.canParse(value)) return ''
  const { protocol, href } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && href.length <= charsMax ? href : ''
}
