// Describes the error answers, with one example for each code.
import { CodedError, type ErrorCode } from '@postern/protocol'
import { apiErrorOf } from '../errors.ts'
import type { ApiErrorCode } from '../objects.ts'
import { exampleChatId } from './example-objects.ts'
import { referenceTo, shown } from './schemas.ts'
import type { OpenapiHeader, OpenapiResponse } from './shapes.ts'

type ErrorText = { text: string; example: [code: ErrorCode, details?: Record<string, string>] }

const errorTexts: Record<ApiErrorCode, ErrorText> = {
  bad_request: {
    text: 'A parameter is wrong, or the request breaks a rule; the text names it.',
    example: ['bad-field', { field: 'text', rule: 'must have 1 to 4096 characters' }],
  },
  unauthorized: { text: 'The token is missing or wrong.', example: ['token-wrong'] },
  forbidden: {
    text: 'The token lacks a scope, or is limited to other chats; the text says which.',
    example: ['scope-missing', { scope: 'send' }],
  },
  not_found: {
    text: 'There is no such chat, message, person, press, file, reader, hook or token, or no such endpoint.',
    example: ['chat-not-found', { chat: exampleChatId }],
  },
  webhook: { text: 'A webhook is set, or none, or UPDATES=off; the text says which.', example: ['webhook-set'] },
  gone: { text: 'The bot is no longer in the chat of the hook.', example: ['hook-chat-gone'] },
  internal: { text: 'The gateway failed.', example: ['internal'] },
  unavailable: {
    text: 'Try again: the relay cannot be reached, the bot is not registered yet, or a disk is full or dead, here or there.',
    example: ['relay-unreachable'],
  },
}

const headers: Partial<Record<ApiErrorCode, Record<string, OpenapiHeader>>> = {
  bad_request: {
    'Idempotency-Message': {
      description:
        'If the Idempotency-Key was used with a different request: the id of the message that was sent then.',
      schema: { type: 'string' },
    },
  },
  unauthorized: { 'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } } },
  unavailable: { 'Retry-After': { description: 'In seconds.', schema: { type: 'integer', format: 'int64' } } },
}

const errorCodes = Object.keys(errorTexts) as ApiErrorCode[]

export const errorResponses = (): Record<string, OpenapiResponse> =>
  Object.fromEntries(errorCodes.map(code => [code, errorResponse(code)]))

function errorResponse(code: ApiErrorCode): OpenapiResponse {
  const { text, example } = errorTexts[code]
  return {
    ...errorOf(`\`${code}\`: ${text}`, apiErrorOf(new CodedError(...example))),
    ...(headers[code] && { headers: headers[code] }),
  }
}

/** For a status that only one endpoint has. */
export function errorOf(description: string, example: object) {
  return {
    description,
    content: { 'application/json': { schema: { $ref: referenceTo('ApiError') }, ...shown(example) } },
  }
}
