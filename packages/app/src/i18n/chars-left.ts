// How many more characters fit into a message, near its limit.
import { contentLimits } from '@postern/protocol'

/** From this many characters on, the rest is shown. */
const COUNTED_FROM = contentLimits.textCharsMax - 200

/** Undefined while there are plenty; negative when it is too long. */
export function charsLeft(text: string): number | undefined {
  if (text.length < COUNTED_FROM) return undefined
  const count = [...text.trim()].length
  return count < COUNTED_FROM ? undefined : contentLimits.textCharsMax - count
}
