// Makes untrusted text safe for a message: removes characters that hide, reorder or break out.

/** Line ends and tabs stay; the other control characters are invisible. */
const controls = /(?![\n\t])\p{Cc}|[\ufff9-\ufffb]/gu
/** They reverse the rest of a line, including the text of others. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/g
/** Invisible, and not needed in a short field. */
const unseen = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\ufeff]/g

/** A text of several lines, without the forbidden characters. */
export const cleanText = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replaceAll(controls, '').replaceAll(reordering, '').toWellFormed()

/** A message of it would be invisible. */
export const isBlank = (text: string): boolean => text.replaceAll(unseen, '').trim() === ''

/** All of these in one pass: a field may have a megabyte. */
const unwanted =
  /[\p{Cc}\ufff9-\ufffb\u202a-\u202e\u2066-\u2069\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\ufeff]/gu

/** White space that is not one space. */
const wideSpace = /[^\S ]\s*| \s+/g

/** Most fields need no cleaning: they are ASCII words with one space between them. */
const toBeCleaned = /[^ -~]|^ | $| {2}/

/** A field in one line; a value that is neither a string nor a number is empty. */
export function oneLine(value: unknown): string {
  if (typeof value !== 'string' && !Number.isFinite(value)) return ''
  if (typeof value === 'string' && !toBeCleaned.test(value)) return value
  return String(value).replaceAll(wideSpace, ' ').replaceAll(unwanted, '').toWellFormed().trim()
}

/** An address that people may open, or nothing: a truncated one leads nowhere. */
export function webAddress(value: unknown, charsMax: number): string {
  if (typeof value !== 'string' || value.length > charsMax || !URL.canParse(value)) return ''
  const { protocol, href } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && href.length <= charsMax ? href : ''
}
