// How long messages are kept, in words.
import { inLanguages, language } from './language.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The choices; 0 means forever. */
export const timerChoices: readonly number[] = [0, 5 * MINUTE_MS, HOUR_MS, 8 * HOUR_MS, DAY_MS, 7 * DAY_MS, 28 * DAY_MS]

const words = inLanguages({ en: { off: 'Off' }, ru: { off: 'Выключены' } })

const units = [
  { ms: 7 * DAY_MS, unit: 'week' },
  { ms: DAY_MS, unit: 'day' },
  { ms: HOUR_MS, unit: 'hour' },
  { ms: MINUTE_MS, unit: 'minute' },
  { ms: 1000, unit: 'second' },
] as const

/** `1 week` */
export function timerText(timerMs: number): string {
  if (timerMs === 0) return words.value.off
  const { ms, unit } = units.find(({ ms }) => timerMs >= ms && timerMs % ms === 0) ?? units[4]
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 0,
  }).format(timerMs / ms)
}
