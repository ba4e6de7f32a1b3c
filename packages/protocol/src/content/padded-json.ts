// Pads JSON with spaces where nothing else hides its length. JSON parsers ignore them.
import { utf8 } from '../bytes.ts'
import { wireLimits } from '../limits.ts'

const SPACE = 0x20

export function encodePaddedJson(value: unknown): Uint8Array {
  const json = utf8(JSON.stringify(value))
  const { paddingStepBytes: step } = wireLimits
  const padded = new Uint8Array(Math.ceil(json.length / step) * step).fill(SPACE)
  padded.set(json)
  return padded
}

/** Whether settings are those of a client that did not hide the length of a title yet. */
export const isPadded = (json: Uint8Array): boolean => json.length % wireLimits.paddingStepBytes === 0
