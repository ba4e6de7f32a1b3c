// Removes what is past its time: at the start, and again and again.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { logFault, type Timer } from '@postern/protocol'
import { sweepBlobs } from './blobs/blobs.ts'
import type { RelayParts } from './relay-parts.ts'

export class Housekeeping {
  readonly #parts: RelayParts
  readonly #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #timer: Timer | undefined

  constructor(parts: RelayParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = this.#sweepAll()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#timer?.cancel()
    await this.#running
  }

  /** Never rejects. Blobs go also when rows cannot: on a full disk they make the room that the rows need to go. */
  async #sweepAll(): Promise<void> {
    const { invites, limits, clock, logger } = this.#parts
    let removed = await this.#attempt(() => sweepBlobs(this.#parts, this.#stop.signal))
    removed += await this.#attempt(() => this.#sweepRows())
    removed += await this.#attempt(() => invites.sweep(clock.nowMs() - limits.keepInvitesMs))
    if (removed > 0) logger.info({ removed }, 'swept')
    if (!this.#stop.signal.aborted) this.#timer = clock.setTimer(limits.sweepEveryMs, () => this.start())
  }

  async #attempt(sweep: () => Promise<number>): Promise<number> {
    try {
      return await sweep()
    } catch (error) {
      logFault(error, { what: 'sweeping failed; it is tried again', log: this.#parts.logger })
      return 0
    }
  }

  async #sweepRows(): Promise<number> {
    const { store, clock } = this.#parts
    let removed = 0
    for (let more = true; more && !this.#stop.signal.aborted; ) {
      const turn = await store.sweep(clock.nowMs())
      removed += turn.removed
      more = turn.more
      await nextTurn()
    }
    return removed
  }
}
