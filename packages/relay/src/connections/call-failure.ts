// The answer to a failed call: the id of the call, and the error for its caller.
import { CodedError, systemFault } from '@postern/protocol'

const CALL_TAG_MAX = 63

/** A frame has a version, a kind, and then the id of the call. */
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
