// Answers that are more than an object to be written as JSON.
import type { IncomingHttpHeaders } from 'node:http'

/** JSON already: updates are stored as they are sent. As bytes it is UTF-8. */
export class SerializedAnswer {
  readonly json: string | Uint8Array

  constructor(json: string | Uint8Array) {
    this.json = json
  }
}

type Streaming = {
  status: number
  headers: Record<string, string>
  /** Each piece is used up before the next one is asked for. */
  read: () => AsyncIterable<Uint8Array>
}

/** Bytes that are read while they are sent, and not at all for HEAD. */
export class StreamedAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly read: () => AsyncIterable<Uint8Array>

  constructor({ status, headers, read }: Streaming) {
    this.status = status
    this.headers = headers
    this.read = read
  }
}

/** What a request asks for beyond its endpoint's fields. */
export type RequestHead = { method: string; headers: IncomingHttpHeaders }

/** An answer that depends on the head of the request: on a range, or on what the caller knows already. */
export class NegotiatedAnswer {
  readonly answer: (request: RequestHead) => StreamedAnswer

  constructor(answer: (request: RequestHead) => StreamedAnswer) {
    this.answer = answer
  }
}
