// What a store of objects said instead of what was asked for, or that it said nothing. Of its words only the name of the fault.
import { CodedError } from '@postern/protocol'

const TEXT = 'The blob store returned an unexpected answer. Try again in a moment, and see the log.'

export class S3Fault extends Error {
  /** As in `NoSuchBucket`, or what the system calls it. */
  readonly code: string
  /** 0 when there was no answer. */
  readonly status: number

  constructor(code: string, status: number, options: { cause?: unknown } = {}) {
    super(status === 0 ? code : `${code} (${status})`, options)
    this.name = 'S3Fault'
    this.code = code
    this.status = status
  }

  /** The same may be answered in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429 || PASSING.has(this.code)
  }
}

/** Asking the store again does not bring the keys. */
export class CredentialFault extends S3Fault {
  override get isPassing(): boolean {
    return false
  }
}

const PASSING = new Set(['SlowDown', 'RequestTimeout', 'InternalError', 'ServiceUnavailable', 'OperationAborted'])

export const isS3Fault = (error: unknown, ...codes: string[]): error is S3Fault =>
  error instanceof S3Fault && (codes.length === 0 || codes.includes(error.code))

/** What whoever uploads or fetches is told. */
export const unavailable = (cause: unknown): CodedError =>
  cause instanceof CodedError ? cause : new CodedError('unavailable', {}, { cause, message: TEXT })
