// The parts of an avatar: a hue from the id, letters from the name, and a valid picture.
import { isSmallPictureUrl } from '@postern/protocol'

const PICTURE_CHARS_MAX = 400_000
/** A family of emoji has 11 code units; a longer sign is one letter under a heap of marks. */
const GRAPHEME_UNITS_MAX = 16

/** The same for an id everywhere: people learn each other's colours. */
export function hueOf(id: string): number {
  let sum = 0
  for (let at = 0; at < id.length; at++) sum = Math.imul(sum ^ id.charCodeAt(at), 0x9e3779b1)
  return ((sum ^ (sum >>> 15)) >>> 0) % 360
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function firstGrapheme(word: string): string {
  const [first] = graphemes.segment(word.slice(0, 2 * GRAPHEME_UNITS_MAX))
  const letter = first?.segment ?? ''
  if (letter.length <= GRAPHEME_UNITS_MAX) return letter
  return String.fromCodePoint(letter.codePointAt(0) ?? 0x20)
}

/** From the first and the last word that begin with a letter, a digit or a visible sign; empty when there is none. */
export function initialsOf(name: string): string {
  const words = name
    .split(/(?:(?!\u200d)[\s\p{Cc}\p{Cf}])+/u)
    .map(word => word.replace(/^[\p{P}\p{M}\u200d]+/u, ''))
    .filter(word => word !== '')
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map(word => firstGrapheme(word ?? '').toLocaleUpperCase()).join('')
}

const SHORT_NAME_MAX = 20

/** The first word of a name, for a sentence or a button that it must not fill. */
export function shortNameOf(name: string): string {
  const word = name.trim().split(/\s+/)[0] ?? ''
  const signs = [...graphemes.segment(word.slice(0, SHORT_NAME_MAX * GRAPHEME_UNITS_MAX))].map(({ segment }) => segment)
  const isShort = signs.length <= SHORT_NAME_MAX && word.length <= SHORT_NAME_MAX * GRAPHEME_UNITS_MAX
  const shown = signs
    .slice(0, SHORT_NAME_MAX)
    .map(sign => firstGrapheme(sign))
    .join('')
  return isShort ? shown : `${shown}…`
}

/**
 * A stranger's picture may be an address that reveals who looked, or a picture that takes all memory: only a small
 * embedded picture is shown. The same check applies to values that an older version has stored.
 */
export const pictureOf = (avatar: string | undefined): string | undefined =>
  avatar && avatar.length <= PICTURE_CHARS_MAX && isSmallPictureUrl(avatar) ? avatar : undefined
