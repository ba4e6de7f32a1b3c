// What can go wrong in the app itself: beside core's table of errors, for what core knows nothing of.
import { CodedError, systemFault } from '@postern/protocol'
import type { Fault } from '../contract/objects.ts'

const table = {
  'call-unknown': 'There is no such call: the page is of another build than the worker.',
  'call-malformed': 'What was asked for does not have the shape of this call.',
  'no-account': 'There is no account in this browser yet.',
  'account-exists': 'There is an account in this browser already.',
  'account-elsewhere': 'The account is open on another device.',
  'outgoing-unknown': 'There is no such message in the queue: it was sent, or taken back.',
  'outgoing-under-way': 'The message is being sent: it cannot be taken back any more.',
  'outgoing-full': 'Too many messages wait to be sent.',
  'outgoing-from-backup': 'The message waited when the backup was saved, and may have been sent since.',
  'file-lost': 'The file is not here any more: choose it again.',
  'press-pending': 'A button of this message was pressed, and its bot has not answered yet.',
  'too-many-calls': 'Too much is being asked for at once.',
} as const

export type AppErrorCode = keyof typeof table

export class AppError extends Error {
  readonly code: AppErrorCode
  readonly details: Fault['details']

  constructor(code: AppErrorCode, details?: Fault['details']) {
    super(table[code])
    this.name = 'AppError'
    this.code = code
    this.details = details
  }
}

/** As it passes to a page. What nobody expected is named `internal`: its words are for the log, not for a person. */
export function faultOf(error: unknown): Fault {
  const fault = systemFault(error)
  if (fault instanceof AppError) {
    const { code, message, details } = fault
    return { code, message, ...(details && { details }) }
  }
  if (fault instanceof CodedError) return { code: fault.code, message: fault.message, details: { ...fault.details } }
  return { code: 'internal', message: fault instanceof Error ? fault.message : String(fault) }
}
