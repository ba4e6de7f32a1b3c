// A failure of an object store, or no answer from it. Contains only the name of the error, not its text.
import { CodedError } from '@postern/protocol'

const TEXT = 'The blob store returned an unexpected answer. Try again in a moment, and see the log.'

export class S3Fault extends Error {
  /** For example `NoSuchBucket`, or the code of a system error. */
  readonly code: string
  /** 0 if there was no answer. */
  readonly status: number

  constructor(code: string, status: number, options: { cause?: unknown } = {}) {
    super(status === 0 ? code : `${code} (${status})`, options)
    this.name = 'S3Fault'
    this.code = code
    this.status = status
  }

  /** A retry may succeed. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429 || PASSING.has(this.code)
  }
}

/** Retrying the store does not provide keys. */
export class CredentialFault extends S3Fault {
  override get isPassing(): boolean {
    return false
  }
}

const PASSING = new Set(['SlowDown', 'RequestTimeout', 'InternalError', 'ServiceUnavailable', 'OperationAborted'])

export const isS3Fault = (error: unknown, ...codes: string[]): error is S3Fault =>
  error instanceof S3Fault && (codes.length === 0 || codes.includes(error.code))

/** The error for a client that uploads or fetches. */
export const unavailable = (cause: unknown): CodedError =>
  cause instanceof CodedError ? cause : new CodedError('unavailable', {}, { cause, message: TEXT })
