// The parts of a request that the fuzzer sends.
import type { EndpointName } from '@postern/bot-api'
import type { Json } from './nasty-values.ts'

/** `copies`: how often the file is in the form. */
export type Form = { fields: [name: string, value: string][]; file: Uint8Array; fileName: string; copies?: number }
export type Body =
  | { kind: 'none' }
  | { kind: 'json'; value: Json }
  | { kind: 'form'; form: Form }
  | { kind: 'bytes'; type: string; bytes: Uint8Array }

/** Requests of the Telegram Bot API. */
export type TelegramName = 'telegram call' | 'telegram file'

export type Right = {
  name: EndpointName | TelegramName
  method: string
  /** As in the table, with the values of its parameters. */
  path: string
  params: Record<string, string>
  query: [name: string, value: string][]
  headers: [name: string, value: string][]
  body: Body
}
