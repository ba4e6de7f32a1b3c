// The errors of calls.

/** The gateway has refused the request. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** As in the answer: `bad_request`, `not_found`, … */
  readonly code: string
  readonly retryAfterMs: number | undefined
  /** If the key was already used with another body: the message that was sent then. */
  readonly messageId: string | undefined

  constructor(message: string, facts: Pick<ApiError, 'status' | 'code' | 'retryAfterMs' | 'messageId'>) {
    super(message)
    this.status = facts.status
    this.code = facts.code
    this.retryAfterMs = facts.retryAfterMs
    this.messageId = facts.messageId
  }
}

/** The gateway did not answer, or not with a whole answer. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** Whether the same call may succeed later: the gateway cannot be reached, or has no relay. */
export const isAway = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status === 502 || error.status === 503))

export async function apiErrorOf(operation: string, response: Response): Promise<ApiError> {
  const text = await response.text()
  const { error, code } = fieldsIn(text)
  const afterSec = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(`${operation}: ${error ?? (text.slice(0, 200) || `status ${response.status}`)}`, {
    status: response.status,
    code: code ?? 'unknown',
    retryAfterMs: Number.isFinite(afterSec) ? afterSec * 1000 : undefined,
    messageId: response.headers.get('idempotency-message') ?? undefined,
  })
}

type ErrorFields = { error?: string; code?: string }

/** A proxy before the gateway answers in its own way. */
function fieldsIn(text: string): ErrorFields {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
