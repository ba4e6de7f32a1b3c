// Common parts of all HTTP answers, and the one place where an error becomes a status.
import type { ServerResponse } from 'node:http'
import { CodedError, type ErrorCode, relayFixedLimits, systemFault } from '@postern/protocol'

const statusOf: Partial<Record<ErrorCode, number>> = {
  'bad-field': 400,
  unauthenticated: 401,
  'account-banned': 403,
  'account-not-found': 404,
  'blob-unknown': 404,
  'too-large': 413,
  'rate-limited': 429,
  'relay-stopping': 503,
  'storage-failed': 503,
  unavailable: 503,
  'descriptors-used-up': 503,
  'storage-full': 507,
}

/**
 * Set on every answer except the app's files. Accounts choose the bytes of blobs: no browser may run an answer as a
 * script or open it as a page of the relay's origin.
 */
export function closeToBrowsers(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'; frame-ancestors 'none'")
  response.setHeader('Content-Disposition', 'attachment')
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  const json = JSON.stringify(body)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) })
  response.end(json)
}

/** Returns true for a fault of the relay, which the caller logs. */
export function answerError(response: ServerResponse, error: unknown): boolean {
  const fault = systemFault(error)
  const coded = fault instanceof CodedError ? fault : new CodedError('internal')
  const status = statusOf[coded.code] ?? 500
  if (response.headersSent) response.destroy()
  else {
    if (status === 503 || status === 507) response.setHeader('Retry-After', relayFixedLimits.retryAfterSec)
    answerJson(response, status, { error: coded.message, code: coded.code })
  }
  return status >= 500
}

export const notFound = (response: ServerResponse): void =>
  answerJson(response, 404, { error: 'There is nothing at this address.', code: 'not-found' })
