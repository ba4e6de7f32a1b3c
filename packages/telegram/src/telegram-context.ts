// The context of the Telegram Bot API: the gateway passes in its operations and its client.
import type { EndpointName, Endpoints, Update } from '@postern/bot-api'
import type { Client } from '@postern/core'
import type { Clock, Log } from '@postern/protocol'
import type { z } from 'zod'
import type { Parameters } from './parameters.ts'

type AnswerOf<Name extends EndpointName> = z.infer<Endpoints[Name]['answer']>

/** The files of a request. Its fields are texts, as in a form of our own API. */
export type IncomingForm = {
  bytesHint: number | undefined
  open(): Promise<{
    file: TelegramFile
    /** For an album. */
    nextFile?(): Promise<TelegramFile | undefined>
    fields(): Promise<Record<string, string>>
    /** For an album: its files by their places in the order in which they were read. */
    order?(): readonly number[]
  }>
}
export type TelegramFile = { name: string; declaredType: string | undefined; bytes: AsyncIterable<Uint8Array> }

export type OperationInput = {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: object
  form?: IncomingForm
  /** The Idempotency-Key of the request. */
  key?: string | undefined
  gone?: AbortSignal
}

/** An operation of the gateway under the name of its endpoint: checked and counted as if it came over HTTP. */
export type CallOperation = <Name extends EndpointName>(name: Name, input?: OperationInput) => Promise<AnswerOf<Name>>

/** A file that comes in a form. The fields before it are known when it begins, the others when it ends. */
export type UploadedForm = {
  bytesHint: number | undefined
  nextFile(): Promise<UploadedFile | undefined>
  /** All fields that were read so far. */
  fields(): Record<string, string>
}
export type UploadedFile = {
  field: string
  name: string
  declaredType: string | undefined
  bytes: AsyncIterable<Uint8Array>
}

export type MethodInput = {
  parameters: Parameters
  form: UploadedForm | undefined
  /** The Idempotency-Key of the request. */
  key: string | undefined
  gone: AbortSignal
}

/** The call of a method in the answer to an update that was posted. */
export type AnsweredCall = {
  update: number
  read: () => Promise<{ parameters: Parameters; form: UploadedForm | undefined }>
  gone: AbortSignal
}

/** Updates that are posted to an address, one at a time and in order. */
export type TelegramDelivery = {
  url: string
  headers: Record<string, string>
  /** Before each update. A stop does not wait for it. */
  ready: () => Promise<void>
  /** Undefined: the bot does not receive this one. */
  bodyOf: (update: Update) => Promise<string | undefined>
  /** Resolves with the fault if the update has to be posted again. */
  answered: (call: AnsweredCall) => Promise<string | undefined>
  /** The state that has to survive a restart. */
  state: { read: () => string | undefined; write: (text: string) => Promise<void> }
}

export type RunningDelivery = {
  lastFailure(): { error: string; ts: number } | undefined
  /** The update in flight is abandoned, and posted again at the next start. */
  stop(): Promise<void>
}

/** The updates of the reader of this API. */
export type TelegramReader = {
  /** Confirms the updates below the offset, and waits for the first of the others. */
  poll: (poll: { offset: number; limit: number; timeoutMs: number }, gone: AbortSignal) => Promise<Update[]>
  /** Resolves when everything that was confirmed is on the disk: no answer may come earlier. */
  durable: () => Promise<void>
}

export type TelegramContext = {
  client: Client
  reader: TelegramReader
  call: CallOperation
  deliver: (delivery: TelegramDelivery) => RunningDelivery
  clock: Clock
  log: Log
}
