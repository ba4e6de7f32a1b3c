// A reaction is one emoji: a picture, a flag or a keycap, but not a letter in a keycap or half of a flag.
import { contentLimits } from '../limits.ts'
import { isOneSign } from '../text.ts'
import type { Fault } from './kept.ts'

/** By property, not by this year's list of emoji: next year's are accepted by clients that cannot draw them yet. */
const emojiStart = /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\ufe0f?\u20e3)/u

export const EMOJI_RULE = 'must be one emoji'

export const emojiFault = (text: string): Fault => {
  const isShort = text.length <= contentLimits.emojiUnitsMax
  return isShort && text.isWellFormed() && emojiStart.test(text) && isOneSign(text) ? undefined : EMOJI_RULE
}
