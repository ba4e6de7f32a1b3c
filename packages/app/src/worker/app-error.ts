// Errors of the app itself: in addition to core's table, for cases that core does not know.
import { CodedError, systemFault } from '@postern/protocol'
import type { FaultView } from '../contract/objects.ts'

const table = {
  'call-unknown': 'This call does not exist: page and worker are from different builds.',
  'call-malformed': 'The arguments do not match this call.',
  'no-account': 'This browser has no account yet.',
  'account-exists': 'This browser already has an account.',
  'account-elsewhere': 'The account is open on another device.',
  'passphrase-short': 'The passphrase is too short or too long.',
  'unlock-too-soon': 'Too many wrong passphrases. Wait a moment.',
  'outgoing-unknown': 'The queue has no such message: it was sent or cancelled.',
  'outgoing-under-way': 'The message is being sent and can no longer be cancelled.',
  'outgoing-full': 'Too many messages are waiting to be sent.',
  'outgoing-from-backup': 'The message was waiting when the backup was saved. It may have been sent since.',
  'file-lost': 'The file is no longer available. Choose it again.',
  'press-pending': 'The bot has not responded to the last button press yet.',
  'move-code-wrong': 'This code is incomplete or has a typo.',
  'move-code-used': 'This code was already used, or has expired.',
  'too-many-calls': 'Too many requests at the same time.',
} as const

export type AppErrorCode = keyof typeof table

export class AppError extends Error {
  readonly code: AppErrorCode
  readonly details: FaultView['details']

  constructor(code: AppErrorCode, details?: FaultView['details']) {
    super(table[code])
    this.name = 'AppError'
    this.code = code
    this.details = details
  }
}

/** In the form for a page. An unexpected error is named `internal`: its words are for the log, not for a person. */
export function faultOf(error: unknown): FaultView {
  const fault = systemFault(error)
  if (fault instanceof AppError) {
    const { code, message, details } = fault
    return { code, message, ...(details && { details }) }
  }
  if (fault instanceof CodedError) return { code: fault.code, message: fault.message, details: { ...fault.details } }
  return { code: 'internal', message: fault instanceof Error ? fault.message : String(fault) }
}
