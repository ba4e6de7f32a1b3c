// What a caller is told when something fails: one table from our error codes to those of the API, and to HTTP statuses.
import { CodedError, type ErrorCode } from '../errors.ts'
import type { ApiError, ApiErrorCode } from './objects.ts'

export const apiStatuses = {
  bad_request: 400,
  unauthorized: 401,
  not_found: 404,
  webhook: 409,
  gone: 410,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<ApiErrorCode, number>

const apiCodes = {
  'bad-field': 'bad_request',
  'chat-not-found': 'not_found',
  'message-not-found': 'not_found',
  'account-not-found': 'not_found',
  'route-not-found': 'not_found',
  'token-wrong': 'unauthorized',
  'hook-not-found': 'not_found',
  'hook-token-wrong': 'unauthorized',
  'hook-chat-gone': 'gone',
  'hooks-full': 'bad_request',
  'updates-off': 'webhook',
  'webhook-set': 'webhook',
  'not-own-message': 'bad_request',
  'edit-too-late': 'bad_request',
  'poll-not-editable': 'bad_request',
  'not-a-poll': 'bad_request',
  'poll-closed': 'bad_request',
  'not-own-poll': 'bad_request',
  'press-not-found': 'not_found',
  'press-too-late': 'bad_request',
  'press-answered': 'bad_request',
  'no-file': 'not_found',
  'file-gone': 'not_found',
  'file-damaged': 'not_found',
  'idempotency-conflict': 'bad_request',
  'chat-is-request': 'bad_request',
  'chat-left': 'bad_request',
  'not-a-group': 'bad_request',
  'not-an-admin': 'bad_request',
  'not-a-member': 'bad_request',
  'group-full': 'bad_request',
  'new-people-limit': 'bad_request',
  'invite-malformed': 'bad_request',
  'too-large': 'bad_request',
  'relay-unreachable': 'unavailable',
  'send-in-doubt': 'unavailable',
  'not-registered': 'unavailable',
  'account-unknown': 'unavailable',
  'relay-broken': 'unavailable',
  'relay-stopping': 'unavailable',
  'rate-limited': 'unavailable',
  'key-package-missing': 'unavailable',
  'storage-full': 'unavailable',
  stopping: 'unavailable',
  'frame-malformed': 'internal',
  'version-unsupported': 'internal',
  unauthenticated: 'internal',
  'group-unknown': 'internal',
  'group-exists': 'internal',
  'blob-unknown': 'internal',
  'bad-certificate': 'internal',
  'database-locked': 'internal',
  'database-key-missing': 'internal',
  'database-key-wrong': 'internal',
  'database-newer': 'internal',
  'storage-failed': 'internal',
  internal: 'internal',
} as const satisfies Record<ErrorCode, ApiErrorCode>

/** A fault that nobody foresaw says nothing about itself outside: its message may hold what is secret. */
export function apiErrorOf(error: unknown): ApiError {
  const coded = error instanceof CodedError ? error : new CodedError('internal')
  return { error: coded.message, code: apiCodes[coded.code] }
}
