// What PostgreSQL and the way to it say, as errors of ours.
import { CodedError, type ErrorCode, systemCodeOf } from '@postern/protocol'

/** No encryption could be agreed on, or no known authority has signed the server's certificate. */
export const ENCRYPTION = /^(ERR_TLS_|ERR_SSL_|EPROTO$|.*CERT|.*SIGNATURE|.*ISSUER)/

/** By SQLSTATE, and what the system says of a connection. The first that matches counts. */
const faults: [pattern: RegExp, code: ErrorCode][] = [
  [/^53[12]00$/, 'storage-full'],
  [/^(58030|XX00[12])$/, 'storage-failed'],
  // No connection, too many of them, a server that starts or stops, a standby, or what took too long.
  [/^(08...|53300|57P0.|57014|55P03|25006|25P0[34]|40...)$/, 'unavailable'],
  [/^(ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/, 'unavailable'],
  [ENCRYPTION, 'unavailable'],
]
/** What the driver says without a code. */
const LOST = /timeout|terminated|Connection|not queryable|Client was closed/i

export function databaseFault(cause: unknown): CodedError {
  if (cause instanceof CodedError) return cause
  const said = systemCodeOf(cause)
  const found = faults.find(([pattern]) => pattern.test(said))
  if (found) return new CodedError(found[1], {}, { cause })
  const isLost = said === '' && cause instanceof Error && LOST.test(cause.message)
  return new CodedError(isLost ? 'unavailable' : 'internal', {}, { cause })
}

/** What the server itself refused: the connection is as good as before. */
export const isAnswer = (error: unknown): boolean => /^[0-9A-Z]{5}$/.test(systemCodeOf(error)) && !isEnd(error)

/** The server ends the connection with it, or has become a standby. */
const isEnd = (error: unknown): boolean => /^(57P0[1-5]|08...|25P0[34]|25006)$/.test(systemCodeOf(error))

/** What the driver said. */
export const causeOf = (error: unknown): unknown =>
  error instanceof CodedError && error.cause !== undefined ? error.cause : error

/** A batch that fails with it may be of one bad write: not when it took too long, or there is no room. */
export const isWorthAlone = (error: unknown): boolean => {
  const said = causeOf(error)
  return isAnswer(said) && !/^(57014|53...|55P03)$/.test(systemCodeOf(said))
}

/** Two were in each other's way: the next time they may not be. */
export const isWorthAgain = (error: unknown): boolean => /^40...$/.test(systemCodeOf(causeOf(error)))
