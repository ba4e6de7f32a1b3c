// A consumer of server-sent events, as WHATWG's HTML describes them: fields of an event until an empty line.
import type { Update } from '@postern/bot-api'

export type StreamEvent = { event: string; id: string | undefined; data: string }
type Server = { url: string; token: string }

export class EventStream {
  readonly response: Response
  readonly #abort: AbortController
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''
  /** Comments and fields without an event, in order. */
  readonly asides: string[] = []

  private constructor(response: Response, abort: AbortController) {
    this.response = response
    this.#abort = abort
    if (!response.body) throw new Error('the stream has no body')
    this.#reader = response.body.getReader()
  }

  static async open({ url, token }: Server, query: string, lastEventId?: number): Promise<EventStream> {
    const abort = new AbortController()
    const response = await fetch(`${url}/v1/updates/stream?${query}`, {
      signal: abort.signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
      },
    })
    if (response.status !== 200) throw new Error(`the stream was refused: ${await response.text()}`)
    return new EventStream(response, abort)
  }

  /** The next event; undefined at the end of the stream. Rejects if the connection was cut. */
  async next(): Promise<StreamEvent | undefined> {
    for (;;) {
      const block = await this.#block()
      if (block === undefined) return undefined
      const event = eventIn(block)
      if (event) return event
      this.asides.push(block)
    }
  }

  /** The next comment, or field without an event. Throws at an event. */
  async aside(): Promise<string | undefined> {
    const block = await this.#block()
    if (block !== undefined && eventIn(block)) throw new Error(`there was an event: ${block}`)
    return block
  }

  async update(): Promise<Update> {
    const event = await this.next()
    if (!event || event.event !== 'message') throw new Error(`no update came, but ${JSON.stringify(event)}`)
    const update = JSON.parse(event.data) as Update
    if (event.id !== String(update.id)) throw new Error(`the update ${update.id} came as the event ${event.id}`)
    return update
  }

  leave(): void {
    this.#abort.abort()
  }

  async #block(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const block = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        return block
      }
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }
}

function eventIn(block: string): StreamEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''))
  }
  const data = fields.get('data')
  return data === undefined ? undefined : { event: fields.get('event') ?? 'message', id: fields.get('id'), data }
}
