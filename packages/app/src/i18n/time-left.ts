// A remaining time, in a few letters.
import { language } from './language.ts'

const units = [
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

const SECOND_MS = 1000

/**
 * The remaining time, rounded up, in its largest unit: `3d`, `59s`. A second too much does not count: five minutes
 * begin as `5m`.
 */
export function timeLeft(ms: number): string {
  const [unit, unitMs] = units.find(([, each]) => ms > each) ?? ['second', 1000]
  const format = { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: 0 } as const
  const counted = unitMs > SECOND_MS ? ms - SECOND_MS : ms
  return new Intl.NumberFormat(language.value, format).format(Math.max(0, Math.ceil(counted / unitMs)))
}
