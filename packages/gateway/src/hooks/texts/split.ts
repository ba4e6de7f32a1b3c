// Splits a text that is too long for one message.
import { signStart } from '@postern/protocol'
import { isBlank } from '../texts/clean.ts'

/** In order and without loss, except for parts that are only white space: such a message would be invisible. */
export const splitText = (text: string, charsMax: number): string[] => textParts(text, charsMax).map(part => part.text)

/** The same, with the place of each part in the text. */
export function textParts(text: string, charsMax: number): { at: number; text: string }[] {
  const parts: { at: number; text: string }[] = []
  for (let at = 0; at < text.length; ) {
    // With the whole of the next character: half of one would look like a separate character.
    const end = at + partUnits(text.slice(at, at + 2 * charsMax + 2), charsMax)
    parts.push({ at, text: text.slice(at, end) })
    at = end
  }
  return parts.filter(part => !isBlank(part.text))
}

/** After the last line end that fits, or else the last space, or else the last visible character. */
function partUnits(window: string, charsMax: number): number {
  const units = unitsOf(window, charsMax)
  if (units === window.length) return units
  for (const border of ['\n', ' ']) {
    // A break near the beginning would turn one message into many small ones.
    for (let end = units; end > units / 2; end--) {
      end = window.lastIndexOf(border, end - 1) + 1
      // A combining mark after a space belongs to the space.
      if (end > units / 2 && signStart(window, end) === end) return end
    }
  }
  return cutAfter(window, charsMax)
}

/**
 * The number of code units that has at most `charsMax` characters and ends with a visible character: a joined emoji is
 * one.
 */
export function cutAfter(text: string, charsMax: number): number {
  const units = unitsOf(text, charsMax)
  if (units === text.length) return units
  // A visible character longer than the limit is cut between its code points: the loop would never end otherwise.
  return signStart(text, units) || units
}

function unitsOf(text: string, charsMax: number): number {
  let units = 0
  let chars = 0
  for (const char of text) {
    if (chars === charsMax) break
    units += char.length
    chars++
  }
  return units
}
