// Defines an endpoint of the HTTP API, and the parts that many endpoints share.
import { gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import { chatInPath, messageInPath, wholeNumber } from './field-rules.ts'
import type { ApiErrorCode } from './objects.ts'

export const scopeNames = ['read', 'send', 'hooks', 'admin'] as const
export type TokenScope = (typeof scopeNames)[number]

/** A field of a request that names a chat. */
export type ChatPlace = 'params.chat' | 'query.chat' | 'query.after' | 'body.chat_id' | 'body.from.chat_id'

/** The reach of a token at an endpoint, if the token is limited to chats. */
export type Reach =
  /** The chats that these fields name must be among its own; a list that names none shows its own alone. */
  | readonly ChatPlace[]
  /** The handler looks up whose chat it is, and shows and changes only what belongs to its own. */
  | 'own'
  /** The endpoint is about no chat. */
  | 'none'
  /** The endpoint is about all chats, and refuses such a token. */
  | 'all'

/** The scopes that a token needs. `admin` includes all others and is never limited to chats, so nothing limits it. */
type TokenNeeds =
  /** Needs no token. */
  | { open: true; scopes?: never; reach?: never }
  | { open?: never; scopes: readonly ['admin']; reach?: never }
  | { open?: never; scopes: readonly Exclude<TokenScope, 'admin'>[]; reach: Reach }

export type Endpoint = TokenNeeds & {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: `/${string}`
  section: 'Bot' | 'Chats' | 'Messages' | 'Polls' | 'Buttons' | 'Updates' | 'Hooks' | 'Tokens' | 'Service'
  /** Up to five words: the entry in a menu of all endpoints. */
  summary: string
  description: string
  /** Also accepts `METRICS_TOKEN`, if set. */
  forScrapers?: true
  params?: z.ZodObject
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  /** A body that is not JSON: its raw bytes. */
  upload?: { types: readonly string[]; bytesMax: number }
  /**
   * A form with exactly one file, under the name `file`, and these fields around it in any order. With `filesMax`, it
   * has one to that many files, and `fileBytesMax` is the size of all of them together.
   */
  form?: { fields: z.ZodObject; fileBytesMax: number; filesMax?: number }
  /** Errors that other endpoints do not have, or that have another status there. */
  statuses?: Partial<Record<ApiErrorCode, number>>
  answer: z.ZodType
  /** If it is not JSON. Any type: a file, whole or a range of it, for GET and HEAD. */
  answerType?: 'text/plain; version=0.0.4; charset=utf-8' | 'text/event-stream' | '*/*'
  /** Headers that only some answers have. */
  answerHeaders?: Readonly<Record<string, { description: string; schema: { type: string; format?: string } }>>
}

export const chatParams = z.object({ chat: chatInPath })
export const messageParams = z.object({ chat: chatInPath, msg: messageInPath })

/** Requests that return nothing answer {}. */
export const nothing = z.object({})

const keyRule = `must have 1 to ${gatewayLimits.idempotencyKeyBytesMax} bytes`
/** An empty key is rejected: its sender relies on a protection that it would not have. */
export const sendHeaders = z.object({
  'idempotency-key': z
    .string(keyRule)
    .min(1, keyRule)
    .max(gatewayLimits.idempotencyKeyBytesMax, keyRule)
    .optional()
    .describe('The same key within 24 hours returns the first result, and nothing is sent twice.'),
})

export const pageLimit = ({ max, standard }: { max: number; standard: number }) =>
  wholeNumber({ min: 1, max }).default(standard)
