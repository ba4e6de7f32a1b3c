// Splits a text that is too long for one message.
import { signStart } from '@postern/protocol'
import { isBlank } from '../texts/clean.ts'

/** In order, and nothing is lost but parts that are white space alone: nobody would see such a message. */
export function splitText(text: string, charsMax: number): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    // With the whole of the next character: half of one would look like a sign of its own.
    const end = at + partUnits(text.slice(at, at + 2 * charsMax + 2), charsMax)
    parts.push(text.slice(at, end))
    at = end
  }
  return parts.filter(part => !isBlank(part))
}

/** Behind the last line end, or else the last space, of what fits; else where a sign ends. */
function partUnits(window: string, charsMax: number): number {
  const units = unitsOf(window, charsMax)
  if (units === window.length) return units
  for (const border of ['\n', ' ']) {
    // A border near the beginning would make many small messages out of one.
    for (let end = units; end > units / 2; end--) {
      end = window.lastIndexOf(border, end - 1) + 1
      // A mark that stands behind a space belongs to it.
      if (end > units / 2 && signStart(window, end) === end) return end
    }
  }
  return cutAfter(window, charsMax)
}

/** So many code units have at most so many characters, and end where a sign that people see ends: a joined emoji is one. */
export function cutAfter(text: string, charsMax: number): number {
  const units = unitsOf(text, charsMax)
  if (units === text.length) return units
  // A sign that is longer than all that fits is cut between its characters: else it would never end.
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
