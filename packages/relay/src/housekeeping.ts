// Removes what is past its time: at the start, and again and again.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Timer } from '@postern/protocol'
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
    this.#running = this.#sweep()
      .catch((error: unknown) => this.#parts.logger.error({ err: error }, 'sweeping failed'))
      .finally(() => {
        if (this.#stop.signal.aborted) return
        this.#timer = this.#parts.clock.setTimer(this.#parts.limits.sweepEveryMs, () => this.start())
      })
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#timer?.cancel()
    await this.#running
  }

  async #sweep(): Promise<void> {
    const { store, invites, limits, clock, logger } = this.#parts
    let removed = 0
    for (let more = true; more && !this.#stop.signal.aborted; ) {
      const turn = await store.sweep(clock.nowMs())
      removed += turn.removed
      more = turn.more
      await nextTurn()
    }
    removed += await sweepBlobs(this.#parts, this.#stop.signal)
    removed += await invites.sweep(clock.nowMs() - limits.keepInvitesMs)
    if (removed > 0) logger.info({ removed }, 'swept')
  }
}
