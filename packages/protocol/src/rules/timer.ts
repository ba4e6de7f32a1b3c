// How long messages of a chat are kept after they were read; 0 is for ever.
import { contentLimits } from '../limits.ts'
import type { Fault } from './kept.ts'

export const TIMER_RULE = `a whole number from 0 to ${contentLimits.timerMsMax} is required`

export const timerFault = (ms: number): Fault =>
  Number.isSafeInteger(ms) && ms >= 0 && ms <= contentLimits.timerMsMax ? undefined : TIMER_RULE
