// Sizes of files and lengths of recordings, in everyday form.
import { language } from './language.ts'

const STEP = 1000
const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** `14 kB` */
export function sizeOf(bytes: number): string {
  const step = bytes < STEP ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / STEP ** step
  const said = new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    // The short form would be `999 byte`.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: amount < 10 && step > 0 ? 1 : 0,
  }).format(amount)
  // The unit stays on the same line.
  return said.replaceAll(' ', '\u00a0')
}

/** `1:07` */
export function lengthOf(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
