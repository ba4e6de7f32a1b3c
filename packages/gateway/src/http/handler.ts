// The input and the answer of a handler, and the parts that many handlers share.
import type { Endpoint, EndpointName, Endpoints, HookEndpointName } from '@postern/bot-api'
import { gatewayLimits } from '@postern/protocol'
import type { z } from 'zod'
import type { AvatarUpload } from '../bot/set-avatar.ts'
import type { HttpCaller } from '../caller.ts'
import { idempotencyOf } from '../chats/idempotency.ts'
import type { AlbumForm } from '../files/send-album.ts'
import type { FileForm } from '../files/send-file.ts'
import type { NegotiatedAnswer, PlainAnswer, SerializedAnswer } from './answers.ts'

type InputPart<E, Key extends 'params' | 'query' | 'headers' | 'body'> =
  E extends Record<Key, infer Schema extends z.ZodType> ? z.infer<Schema> : undefined
type Input<E extends Endpoint> = {
  params: InputPart<E, 'params'>
  query: InputPart<E, 'query'>
  headers: InputPart<E, 'headers'>
  body: InputPart<E, 'body'>
  upload: E extends { upload: object } ? AvatarUpload : undefined
  form: E extends { form: { filesMax: number } } ? AlbumForm : E extends { form: object } ? FileForm : undefined
  /** A HEAD request: the body of the answer is not sent. */
  isHead: boolean
}
type Answer<E extends Endpoint> = z.infer<E['answer']> | SerializedAnswer | PlainAnswer | NegotiatedAnswer

type Handler<E extends Endpoint> = (input: Input<E>, caller: HttpCaller) => Answer<E> | Promise<Answer<E>>

type AllHandlers = { [Name in EndpointName]: Handler<Endpoints[Name]> }

/** The endpoints of hooks exist when hooks are on. */
export type Handlers = Omit<AllHandlers, HookEndpointName> & Partial<Pick<AllHandlers, HookEndpointName>>

export const within = { timeoutMs: gatewayLimits.sendWithinMs }

/** Under a caller's key the same request is executed once. */
export const once = (headers: { 'idempotency-key'?: string | undefined }, request: object) => ({
  ...within,
  ...idempotencyOf(headers['idempotency-key'], request),
})

/** Requests that return nothing answer {}. */
export async function empty(work: Promise<void>): Promise<Record<string, never>> {
  await work
  return {}
}
