// The lines of a control socket: one JSON request, then progress lines, and one final line.
import { CodedError, isErrorCode } from '../errors.ts'

/** Next to the database of the listening process; the mode of the file is the permission. */
export const CONTROL_NAME = 'control.sock'

export type ControlRequest = { command: string; arguments: Readonly<Record<string, unknown>> }

/** Any number of `progress` lines, then exactly one of the others, and nothing after it. */
export type ControlLine = { progress: object } | { done: object } | { error: string; code: string }

/** Throws `bad-field`. */
export function readRequest(line: string): ControlRequest {
  const given = parsed(line)
  if (!isRecord(given) || typeof given['command'] !== 'string')
    throw new CodedError('bad-field', {
      field: 'command',
      rule: 'must be named in a line of JSON, as in {"command":"status"}',
    })
  const asked = given['arguments'] ?? {}
  if (!isRecord(asked)) throw new CodedError('bad-field', { field: 'arguments', rule: 'must be an object' })
  return { command: given['command'], arguments: asked }
}

/** Throws the error that the other side answered with. */
export function readLine(line: string): { progress: object } | { done: object } {
  const told = parsed(line)
  if (isRecord(told) && isRecord(told['progress'])) return { progress: told['progress'] }
  if (isRecord(told) && isRecord(told['done'])) return { done: told['done'] }
  if (!isRecord(told) || typeof told['error'] !== 'string') throw new CodedError('internal')
  const code = String(told['code'])
  throw new CodedError(isErrorCode(code) ? code : 'internal', {}, { message: told['error'] })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
