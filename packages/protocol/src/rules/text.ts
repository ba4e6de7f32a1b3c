// The maximum length of a text, in Unicode code points.
import { contentLimits } from '../limits.ts'
import { charCount } from '../text.ts'
import type { Fault } from './kept.ts'

export type CharRange = { min: number; max: number }

/** Half of a pair has no UTF-8: it would silently become another character on its way. */
export const HALF_RULE = 'must not contain half of a surrogate pair'
/** For an edit, in which only a caption may become empty. */
export const EMPTY_TEXT_RULE = `must have 1 to ${contentLimits.textCharsMax} characters`

/** The length alone: a receiver gets whole characters anyway. */
export function lengthFault(text: string, { min, max }: CharRange): Fault {
  // A text with twice as many units has too many characters; a megabyte of them is not counted.
  const count = text.length > 2 * max ? Infinity : charCount(text)
  if (count >= min && count <= max) return undefined
  return min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`
}

export const charsFault = (text: string, range: CharRange): Fault =>
  lengthFault(text, range) ?? (text.isWellFormed() ? undefined : HALF_RULE)

export const textRange: CharRange = { min: 1, max: contentLimits.textCharsMax }
export const captionRange: CharRange = { min: 0, max: contentLimits.textCharsMax }
export const aboutRange: CharRange = { min: 0, max: contentLimits.aboutCharsMax }
export const toastRange: CharRange = { min: 0, max: contentLimits.toastCharsMax }
