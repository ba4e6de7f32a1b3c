// A program that reads the stream of a named reader and resumes it with `Last-Event-ID`, however often it is cut off.
import { setTimeout as pause } from 'node:timers/promises'
import { Notifier } from '@postern/protocol'
import { EventStream } from '@postern/testkit/event-stream'
import { expect } from 'vitest'
import type { Update } from './operator.ts'

const READER = 'consumer'
const RETRY_MS = 30
/** It confirms rarely: a stream resumes after the last event, wherever the reader's place is. */
const CONFIRMED_EVERY = 10

type Api = { url: string; token: string }

export class StreamConsumer {
  readonly #api: Api
  readonly #grown = new Notifier()
  /** In the order in which they came. */
  readonly #received: Update[] = []
  #stream: EventStream | undefined
  #resumed = 0
  #isAway = true
  #reading: Promise<void> = Promise.resolve()

  private constructor(api: Api, stream: EventStream) {
    this.#api = api
    this.#stream = stream
  }

  /** The reader begins with the oldest update, so call this before anybody confirms one. */
  static async begin(api: Api): Promise<StreamConsumer> {
    const consumer = new StreamConsumer(api, await EventStream.open(api, `reader=${READER}&from=oldest`))
    consumer.read()
    return consumer
  }

  /** How often the stream was cut off and resumed. */
  get resumed(): number {
    return this.#resumed
  }

  /** The id of the last update that it has. */
  get lastId(): number {
    return this.#received.at(-1)?.id ?? 0
  }

  /** Continues after the last update that it has. */
  read(): void {
    this.#isAway = false
    this.#reading = this.#readOn()
  }

  /** Resolves when it receives nothing more. */
  async leave(): Promise<void> {
    this.#isAway = true
    this.#stream?.leave()
    await this.#reading
  }

  /** Waits for the last of these updates: until then the stream must have sent exactly these, in order, each once. */
  async receivesAll(updates: ReadonlyMap<number, Update>): Promise<void> {
    const wanted = [...updates.values()]
    const last = wanted.at(-1)?.id ?? 0
    while (this.lastId < last) await this.#grown.next()
    expect(this.#received.filter(({ id }) => !(id > last))).toEqual(wanted)
  }

  async #readOn(): Promise<void> {
    while (!this.#isAway) {
      this.#stream ??= await this.#resume()
      if (this.#stream) await this.#readAll(this.#stream)
      else await pause(RETRY_MS)
      this.#stream = undefined
    }
  }

  async #resume(): Promise<EventStream | undefined> {
    // The gateway may be down.
    const stream = await EventStream.open(this.#api, `reader=${READER}`, this.lastId).catch(() => undefined)
    if (stream) this.#resumed += 1
    if (this.#isAway) stream?.leave()
    return stream
  }

  async #readAll(stream: EventStream): Promise<void> {
    for (;;) {
      // A kill cuts the connection off, also in the middle of an event.
      const event = await stream.next().catch(() => undefined)
      if (!event) return
      // An event of another kind would report a loss: it is no update, and fails the comparison.
      this.#received.push(JSON.parse(event.data) as Update)
      this.#grown.notify()
      if (this.#received.length % CONFIRMED_EVERY === 0) await this.#confirm()
    }
  }

  async #confirm(): Promise<void> {
    const { url, token } = this.#api
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ offset: this.lastId + 1 })
    // A lost confirmation is no fault: the next one includes it.
    await fetch(`${url}/v1/readers/${READER}`, { method: 'POST', headers, body }).catch(() => undefined)
  }
}
