// The rules for names, titles and labels, and the cleaning of one that breaks them.
import type { Fault } from './kept.ts'
import { charsFault, HALF_RULE } from './text.ts'

export const BLANK_RULE = 'must not be blank'
const CONTROL_RULE = 'must not contain line breaks or control characters'
const TURNING_RULE = 'must not contain characters that change the direction of text'

/** Every character at which some program ends a line, and tabs. */
const lineEnds = /[\t-\r\u0085\u2028\u2029]+/g
const controls = /[\p{Cc}\u2028\u2029\ufff9-\ufffb]/u
/** Embeddings, overrides and isolates: they reach beyond their end into the text of others. */
const turning = /[\u202a-\u202e\u2066-\u2069]/
const hidden = /[\p{Cc}\ufff9-\ufffb\u202a-\u202e\u2066-\u2069]/gu
/** Not a space, not a character that programs omit, and not the empty Braille pattern. */
const seen = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

export const isSeen = (text: string): boolean => seen.test(text)

/** The rule that a line breaks, or undefined. An empty line breaks none. */
export function lineFault(text: string): Fault {
  if (!text.isWellFormed()) return HALF_RULE
  if (controls.test(text)) return CONTROL_RULE
  return turning.test(text) ? TURNING_RULE : undefined
}

/** In one line, or empty: the hint behind a command. */
export const lineOfFault = (text: string, max: number): Fault => charsFault(text, { min: 0, max }) ?? lineFault(text)

/** The rule that a text of several lines breaks, or undefined. An invisible text would look like none. */
export function shownFault(text: string, charsMax: number): Fault {
  return charsFault(text, { min: 1, max: charsMax }) ?? (isSeen(text) ? undefined : BLANK_RULE)
}

/** The same for a name. */
export const nameFault = (text: string, charsMax: number): Fault => shownFault(text, charsMax) ?? lineFault(text)

/** Another person's line in a form that can be shown. Empty if nothing would be visible. */
export function cleanLine(text: string): string {
  if (!isSeen(text)) return ''
  if (lineFault(text) === undefined) return text
  return text.replaceAll(lineEnds, ' ').replaceAll(hidden, '').toWellFormed().trim()
}
