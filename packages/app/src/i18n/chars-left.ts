// How much more may be written into a message, near its limit.
import { contentLimits } from '@postern/protocol'

/** From so many characters on the rest is counted. */
const COUNTED_FROM = contentLimits.textCharsMax - 200

/** Undefined as long as there is plenty; below nothing when it is too much. */
export function charsLeft(text: string): number | undefined {
  if (text.length < COUNTED_FROM) return undefined
  const count = [...text.trim()].length
  return count < COUNTED_FROM ? undefined : contentLimits.textCharsMax - count
}
