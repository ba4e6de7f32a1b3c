// How long a chat keeps messages after they are read; 0 means forever.
import { contentLimits } from '../limits.ts'
import type { Fault } from './kept.ts'

export const TIMER_RULE = `must be a whole number from 0 to ${contentLimits.timerMsMax}`

export const timerFault = (ms: number): Fault =>
  Number.isSafeInteger(ms) && ms >= 0 && ms <= contentLimits.timerMsMax ? undefined : TIMER_RULE
