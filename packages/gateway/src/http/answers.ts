// Answers that are more than an object to be written as JSON.

/** JSON already: updates are stored as they are sent. */
export class Serialized {
  readonly json: string

  constructor(json: string) {
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
export class Streamed {
  readonly status: number
  readonly headers: Record<string, string>
  readonly read: () => AsyncIterable<Uint8Array>

  constructor({ status, headers, read }: Streaming) {
    this.status = status
    this.headers = headers
    this.read = read
  }
}
