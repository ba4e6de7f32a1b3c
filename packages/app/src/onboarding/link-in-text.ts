// Finds the link in a pasted text, which often contains more.
import { type Arrival, arrivalOf } from './arrival.ts'

const TEXT_CHARS_MAX = 10_000

/** The first link of ours in a text, without the brackets and full stops around it. */
export function linkInText(text: string): Arrival | undefined {
  for (const word of text.slice(0, TEXT_CHARS_MAX).split(/\s+/)) {
    const address = /https?:\/\/[^\s<>"'“”«»()]+/.exec(word)?.[0].replace(/[.,;:!?\]]+$/, '')
    const found = address !== undefined && URL.canParse(address) ? arrivalOf(address) : undefined
    if (found) return found
  }
  return undefined
}
