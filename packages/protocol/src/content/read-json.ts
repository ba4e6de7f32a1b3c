// Reads JSON that others wrote, without halves of surrogate pairs, which have no UTF-8 and break readers.
import { fromUtf8 } from '../bytes.ts'

/** The only way in and out: UTF-8 itself cannot carry one. All other JSON does not need a walk through every value. */
export const escapedSurrogate = /\\ud[89a-f]/i

const whole = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value)

/** Undefined when it is not JSON. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    const text = fromUtf8(bytes)
    return escapedSurrogate.test(text) ? JSON.parse(text, whole) : JSON.parse(text)
  } catch {
    return undefined
  }
}
