// Answers that are not an object to be sent as JSON.
import type { IncomingHttpHeaders } from 'node:http'

/** Already JSON: updates are stored as they are sent. Bytes are UTF-8. */
export class SerializedAnswer {
  readonly json: string | Uint8Array
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(json: string | Uint8Array, headers?: Readonly<Record<string, string>>) {
    this.json = json
    this.headers = headers
  }
}

/** Words in the way of a sender that reads no JSON. */
export class PlainAnswer {
  readonly text: string
  readonly status: number

  constructor(text: string, status: number) {
    this.text = text
    this.status = status
  }
}

type Streaming = {
  status: number
  headers: Record<string, string>
  /** Each piece is consumed before the next one is requested. */
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

/** The parts of a request besides its endpoint's fields. */
export type RequestHead = { method: string; headers: IncomingHttpHeaders }

/** An answer that depends on the head of the request: on a range, or on the caller's cached copy. */
export class NegotiatedAnswer {
  readonly answer: (request: RequestHead) => StreamedAnswer

  constructor(answer: (request: RequestHead) => StreamedAnswer) {
    this.answer = answer
  }
}
