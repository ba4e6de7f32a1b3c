// Defines an endpoint of the HTTP API, and the parts that many endpoints share.
import { gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import { chatInPath, messageInPath, wholeNumber } from './field-rules.ts'
import type { ApiErrorCode } from './objects.ts'

export type Endpoint = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: `/${string}`
  section: 'Bot' | 'Chats' | 'Messages' | 'Polls' | 'Buttons' | 'Updates' | 'Hooks' | 'Service'
  /** Up to five words: the entry in a menu of all endpoints. */
  summary: string
  description: string
  /** Needs no token. */
  open?: true
  /** Also accepts `METRICS_TOKEN`, if set. */
  forScrapers?: true
  params?: z.ZodObject
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  /** A body that is not JSON: its raw bytes. */
  upload?: { types: readonly string[]; bytesMax: number }
  /** A form with exactly one file, under the name `file`, and these fields around it in any order. */
  form?: { fields: z.ZodObject; fileBytesMax: number }
  /** Errors that other endpoints do not have, or that have another status there. */
  statuses?: Partial<Record<ApiErrorCode, number>>
  answer: z.ZodType
  /** If it is not JSON. Any type: a file, whole or a range of it, for GET and HEAD. */
  answerType?: 'text/plain; version=0.0.4; charset=utf-8' | '*/*'
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
