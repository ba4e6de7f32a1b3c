// Removes expired data: at the start, and periodically.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { logFault, type Timer } from '@postern/protocol'
import { sweepBlobs } from '../blobs/blobs.ts'
import type { RelayContext } from '../context.ts'

export class Housekeeping {
  readonly #parts: RelayContext
  readonly #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #timer: Timer | undefined
  /** The clocks at the last check. */
  #seen: { wallMs: number; monotonicMs: number }

  constructor(parts: RelayContext) {
    this.#parts = parts
    this.#seen = this.#look()
  }

  start(): void {
    this.#running = this.#sweepAll()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#timer?.cancel()
    await this.#running
  }

  /**
   * Never rejects. Blobs are removed even when rows cannot be:
   * on a full disk they free the space that removing rows needs.
   */
  async #sweepAll(): Promise<void> {
    const { invites, limits, clock, log, figures, room, store, blobs } = this.#parts
    let removed = 0
    const steps = [
      () => store.asSweeper(() => this.#sweepStore()),
      () => invites.sweep(clock.nowMs() - limits.keepInvitesMs),
    ]
    if (await this.#attempt(() => this.#noteSet()))
      for (const step of steps) removed += (await this.#attempt(step)) ?? 0
    if (removed > 0) log.info({ removed }, 'swept')
    figures.swept.add('', removed)
    await this.#attempt(() => room.count({ store, blobs }))
    if (!this.#stop.signal.aborted) this.#timer = clock.setTimer(limits.sweepEveryMs, () => this.start())
  }

  /** Only one of the relays on the same data does this. */
  async #sweepStore(): Promise<number> {
    const blobs = await this.#attempt(() => sweepBlobs(this.#parts, this.#stop.signal))
    const rows = await this.#attempt(() => this.#sweepRows())
    return (blobs ?? 0) + (rows ?? 0)
  }

  async #attempt<T>(sweep: () => Promise<T>): Promise<T | undefined> {
    try {
      return await sweep()
    } catch (error) {
      logFault(error, { what: 'sweep failed; will retry', log: this.#parts.log })
      return undefined
    }
  }

  /** Before anything is removed: correcting a wrong clock would make all data that arrived under it look expired. */
  async #noteSet(): Promise<true> {
    const { store, limits, log } = this.#parts
    const seen = this.#look()
    const byMs = seen.wallMs - this.#seen.wallMs - (seen.monotonicMs - this.#seen.monotonicMs)
    if (Math.abs(byMs) >= limits.clockSetByMs) {
      await store.noteClockSet({ byMs, nowMs: seen.wallMs })
      log.warn({ byMs }, 'system clock changed; stored data keeps its lifetime')
    }
    this.#seen = seen
    return true
  }

  #look(): { wallMs: number; monotonicMs: number } {
    const { clock } = this.#parts
    return { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() }
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
