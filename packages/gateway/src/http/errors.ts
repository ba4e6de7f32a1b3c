// Converts any thrown error into an answer: a status and {error, code}.
import { type ApiErrorCode, apiErrorOf, apiStatuses } from '@postern/bot-api'
import { CodedError, gatewayLimits, isCoded, systemFault } from '@postern/protocol'

export type ErrorAnswer = { status: number; headers: Record<string, string>; body: string }

/** Some endpoints have their own statuses. */
export type Statuses = Partial<Record<ApiErrorCode, number>>

export function errorAnswer(error: unknown, statuses: Statuses = {}): ErrorAnswer {
  const coded = asCoded(error)
  const { error: text, code } = apiErrorOf(coded)
  return {
    status: statuses[code] ?? apiStatuses[code],
    headers: {
      ...(code === 'unavailable' && { 'retry-after': String(gatewayLimits.retryAfterSec) }),
      ...(code === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
      ...firstMessageOf(coded),
    },
    body: JSON.stringify({ error: text, code }),
  }
}

/** A program that no longer has the first request finds out what became of it. */
function firstMessageOf(error: unknown): Record<string, string> {
  const message = isCoded(error, 'idempotency-conflict') ? error.details['message'] : undefined
  return message === undefined ? {} : { 'idempotency-message': String(message) }
}

export const badField = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })

/** Fastify's errors, in our words; other errors stay as they are. */
function asCoded(error: unknown): unknown {
  if (error instanceof CodedError) return error
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return badField('Content-Type', 'must be a media type')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return badField('body', `must have at most ${gatewayLimits.jsonBodyBytesMax} bytes`)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badField('Content-Length', 'must be the length of the body')
    default:
      return typeof statusCode === 'number' && statusCode < 500
        ? badField('request', 'is malformed')
        : systemFault(error)
  }
}
