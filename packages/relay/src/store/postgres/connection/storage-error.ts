// Maps errors of PostgreSQL and of the connection to coded errors.
import { CodedError, type ErrorCode, systemCodeOf } from '@postern/protocol'

/** No encryption could be agreed on, or no known authority has signed the server's certificate. */
export const ENCRYPTION = /^(ERR_TLS_|ERR_SSL_|EPROTO$|.*CERT|.*SIGNATURE|.*ISSUER)/

/** By SQLSTATE, or by the system's error code of a connection. The first match counts. */
const faults: [pattern: RegExp, code: ErrorCode][] = [
  [/^53[12]00$/, 'storage-full'],
  [/^(58030|XX00[12])$/, 'storage-failed'],
  // No connection, too many of them, a server that starts or stops, a standby, or a timeout.
  [/^(08...|53300|57P0.|57014|55P03|25006|25P0[34]|40...)$/, 'unavailable'],
  [/^(ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/, 'unavailable'],
  [ENCRYPTION, 'unavailable'],
]
/** Messages of the driver that have no code. */
const LOST = /timeout|terminated|Connection|not queryable|Client was closed/i

export function databaseFault(cause: unknown): CodedError {
  if (cause instanceof CodedError) return cause
  const said = systemCodeOf(cause)
  const found = faults.find(([pattern]) => pattern.test(said))
  if (found) return new CodedError(found[1], {}, { cause })
  const isLost = said === '' && cause instanceof Error && LOST.test(cause.message)
  return new CodedError(isLost ? 'unavailable' : 'internal', {}, { cause })
}

/** The server itself refused: the connection is still usable. */
export const isAnswer = (error: unknown): boolean => /^[0-9A-Z]{5}$/.test(systemCodeOf(error)) && !isEnd(error)

/** The server ends the connection with this error, or has become a standby. */
const isEnd = (error: unknown): boolean => /^(57P0[1-5]|08...|25P0[34]|25006)$/.test(systemCodeOf(error))

/** The driver's error. */
export const causeOf = (error: unknown): unknown =>
  error instanceof CodedError && error.cause !== undefined ? error.cause : error

/** One bad write may have caused the failure of a batch, except after a timeout or without space. */
export const isWorthAlone = (error: unknown): boolean => {
  const said = causeOf(error)
  return isAnswer(said) && !/^(57014|53...|55P03)$/.test(systemCodeOf(said))
}

/** Two transactions conflicted: a retry may succeed. */
export const isWorthAgain = (error: unknown): boolean => /^40...$/.test(systemCodeOf(causeOf(error)))
