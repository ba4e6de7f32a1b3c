// How a call that failed is answered: which call it was, and what its caller is told.
import { CodedError, systemFault } from '@postern/protocol'

const CALL_TAG_MAX = 63

/** Version, kind, then the id of the call. */
export function callIdOf(frame: Uint8Array): number | undefined {
  if (frame.length < 6 || (frame[1] ?? 255) > CALL_TAG_MAX) return undefined
  return new DataView(frame.buffer, frame.byteOffset).getUint32(2)
}

type Failure = { code: string; message: string; retryAtMs: number | undefined; serial: number | undefined }

export function failureOf(error: unknown): Failure {
  const fault = systemFault(error)
  const coded = fault instanceof CodedError ? fault : new CodedError('internal')
  const numberIn = (detail: string) => (typeof coded.details[detail] === 'number' ? coded.details[detail] : undefined)
  return {
    code: coded.code,
    message: coded.message,
    retryAtMs: numberIn('retryAtMs'),
    serial: numberIn('serial'),
  }
}
