// Numbers, sizes and durations as an operator writes them. An error names the setting and its rule.
import { CodedError, DAY_MS } from '@postern/protocol'

export const wrong = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })

export function wholeNumber(field: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw wrong(field, `"${text}" is not a whole number`)
  return Number(text)
}

const units: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 }

/** `500M`, `50G`, or a number of bytes. */
export function bytesIn(field: string, text: string): number {
  const [, digits, unit = ''] = /^(\d{1,15})([KMGT]?)$/i.exec(text) ?? []
  const bytes = Number(digits) * (units[unit.toUpperCase()] ?? 1)
  if (digits === undefined || !Number.isSafeInteger(bytes))
    throw wrong(field, `"${text}" is not a number of bytes. Use a number with an optional unit, as in 50G or 500M`)
  return bytes
}

export function daysIn(field: string, text: string, daysMax: number): number {
  const days = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (days < 1 || days > daysMax) throw wrong(field, `"${text}" is not a whole number of days from 1 to ${daysMax}`)
  return days * DAY_MS
}

export const listIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
