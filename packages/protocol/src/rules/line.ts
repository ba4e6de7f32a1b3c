// The rules for names, titles and labels, and the cleaning of one that breaks them.
import type { Fault } from './kept.ts'
import { charsFault, HALF_RULE } from './text.ts'

export const BLANK_RULE = 'must not be blank'
const CONTROL_RULE = 'must not contain line breaks or control characters'
const TURNING_RULE = 'must not contain characters that change the direction of text'

/** Everything at which some program ends a line, and tabs. */
const lineEnds = /[\t-\r\u0085\u2028\u2029]+/g
const controls = /[\p{Cc}\u2028\u2029\ufff9-\ufffb]/u
/** Embeddings, overrides and isolates: they reach beyond their end, into what others have written. */
const turning = /[\u202a-\u202e\u2066-\u2069]/
const hidden = /[\p{Cc}\ufff9-\ufffb\u202a-\u202e\u2066-\u2069]/gu
/** What is no space, nothing that a program leaves out, and no empty pattern of Braille. */
const seen = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

export const isSeen = (text: string): boolean => seen.test(text)

/** The rule that a line breaks, if it breaks one. An empty line breaks none. */
export function lineFault(text: string): Fault {
  if (!text.isWellFormed()) return HALF_RULE
  if (controls.test(text)) return CONTROL_RULE
  return turning.test(text) ? TURNING_RULE : undefined
}

/** In one line, or empty: the hint behind a command. */
export const lineOfFault = (text: string, max: number): Fault => charsFault(text, { min: 0, max }) ?? lineFault(text)

/** The rule that a text of several lines breaks, if it breaks one. One of which nothing is seen would show as none. */
export function shownFault(text: string, charsMax: number): Fault {
  return charsFault(text, { min: 1, max: charsMax }) ?? (isSeen(text) ? undefined : BLANK_RULE)
}

/** The same for a name. */
export const nameFault = (text: string, charsMax: number): Fault => shownFault(text, charsMax) ?? lineFault(text)

/** Somebody else's line, as it can be shown. Empty when there would be nothing to see. */
export function cleanLine(text: string): string {
  if (!isSeen(text)) return ''
  if (lineFault(text) === undefined) return text
  return text.replaceAll(lineEnds, ' ').replaceAll(hidden, '').toWellFormed().trim()
}
