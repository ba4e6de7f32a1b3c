// Polls the gateway for updates, handles them in lanes, and confirms up to the lowest that is not finished.
import type { Update } from './api-types.ts'
import type { Client } from './client.ts'
import { pause } from './clock.ts'
import { Lanes, Progress } from './progress.ts'

export type PollingOptions = {
  /** `chats`: the updates of different chats are handled at the same time, those of one chat in order. */
  concurrency: 'one' | 'chats'
  /** A named reader, beside other programs that read the same updates. */
  reader: string | undefined
  handle: (update: Update, signal: AbortSignal) => Promise<void>
  log: (line: string, error: unknown) => void
}

const WAIT_SEC = 30
/** While handlers run, the gateway answers a poll immediately: it has their updates. */
const BUSY_POLL_MS = 250
const BUSY_POLL_MS_MAX = 1000
const LAST_CALL_MS = 5000

export class Poller {
  readonly #client: Client
  readonly #options: PollingOptions
  readonly #progress = new Progress()
  readonly #lanes = new Lanes()
  /** No more polls. */
  readonly #ending = new AbortController()
  /** Handlers should end. */
  readonly #aborted = new AbortController()
  #confirmed = 0

  constructor(client: Client, options: PollingOptions) {
    this.#client = client
    this.#options = options
  }

  /** Until `stop`, or until the gateway refuses the poll. */
  async run(): Promise<void> {
    let busyMs = BUSY_POLL_MS
    while (!this.#ending.signal.aborted) {
      const page = await this.#poll()
      const updates = page.filter(({ id }) => this.#progress.isNew(id))
      for (const update of updates) this.#begin(update)
      busyMs = updates.length > 0 ? BUSY_POLL_MS : Math.min(busyMs * 2, BUSY_POLL_MS_MAX)
      const idle = new AbortController()
      await Promise.race([
        this.#lanes.whenIdle().then(() => idle.abort()),
        pause(this.#client.clock, busyMs, AbortSignal.any([idle.signal, this.#ending.signal])),
      ])
      idle.abort()
    }
  }

  async #poll(): Promise<Update[]> {
    const { reader } = this.#options
    const { offset } = this.#progress
    const { signal } = this.#ending
    try {
      const params = { offset, timeout: WAIT_SEC, reader }
      const page = await this.#client.call('getUpdates', params, { signal, retryForMs: Number.POSITIVE_INFINITY })
      this.#confirmed = offset
      return page as Update[]
    } catch (error) {
      if (signal.aborted) return []
      throw error
    }
  }

  #begin(update: Update): void {
    this.#progress.begin(update.id)
    const lane = this.#options.concurrency === 'chats' ? update.chat_id : ''
    this.#lanes.add(lane, async () => {
      if (this.#ending.signal.aborted) return
      try {
        await this.#options.handle(update, this.#aborted.signal)
        this.#progress.finish(update.id)
      } catch (error) {
        // It stays unfinished, and comes again after the next start.
        this.#options.log(`update ${update.id} not finished`, error)
      }
    })
  }

  /** Waits for the handlers that run, and confirms what is finished: otherwise it would be handled again. */
  async stop(graceMs: number): Promise<void> {
    this.#ending.abort()
    const idle = new AbortController()
    const ended = this.#lanes.whenIdle().then(() => idle.abort())
    await Promise.race([ended, pause(this.#client.clock, graceMs, idle.signal)])
    idle.abort()
    this.#aborted.abort()
    const { offset } = this.#progress
    if (offset <= this.#confirmed) return
    const params = { offset, limit: 1, reader: this.#options.reader }
    await this.#client
      .call('getUpdates', params, { retryForMs: LAST_CALL_MS })
      .catch((error: unknown) => this.#options.log(`updates below ${offset} not confirmed`, error))
  }
}
