// A text that is too long for one message, in parts that follow each other.
import { isBlank } from './clean.ts'

type Cut = { unitsMax: number; charsMax: number }

/** In order, and nothing is lost but parts that are white space alone: nobody would see such a message. */
export function splitText(text: string, charsMax: number): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + partUnits(text.slice(at, at + 2 * charsMax), { unitsMax: text.length - at, charsMax })
    parts.push(text.slice(at, end))
    at = end
  }
  return parts.filter(part => !isBlank(part))
}

/** Behind the last line end, or else the last space, of what fits; never inside of a character. */
function partUnits(window: string, { unitsMax, charsMax }: Cut): number {
  let units = 0
  let chars = 0
  for (const char of window) {
    if (chars === charsMax) break
    units += char.length
    chars++
  }
  if (units >= unitsMax) return unitsMax
  const fitting = window.slice(0, units)
  for (const border of ['\n', ' ']) {
    const end = fitting.lastIndexOf(border) + 1
    // A border near the beginning would make many small messages out of one.
    if (end > units / 2) return end
  }
  return units
}
