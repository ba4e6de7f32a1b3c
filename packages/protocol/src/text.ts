// Lengths of texts in characters.
import { utf8 } from './bytes.ts'

/** Unicode code points: an emoji beyond the basic plane is one. */
export function charCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

let graphemes: Intl.Segmenter | undefined

/** When they are first needed: their tables would cost every start 15 ms and 3 MiB. */
function signsOf(text: string): Intl.Segments {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return graphemes.segment(text)
}

/** One character as a person sees it, however many code points it takes. */
export const isOneSign = (text: string): boolean => [...signsOf(text)].length === 1

/** The start of the visible character that a code unit belongs to. */
export const signStart = (text: string, unit: number): number => signsOf(text).containing(unit)?.index ?? unit

/** The beginning of a text, in whole visible characters. `bytesMax` counts its bytes as JSON. */
export function firstSigns(text: string, { charsMax, bytesMax }: { charsMax: number; bytesMax: number }): string {
  let kept = ''
  let chars = 0
  let bytes = 0
  for (const { segment } of signsOf(text)) {
    chars++
    bytes += utf8(JSON.stringify(segment)).length - '""'.length
    if (chars > charsMax || bytes > bytesMax) break
    kept += segment
  }
  return kept
}
