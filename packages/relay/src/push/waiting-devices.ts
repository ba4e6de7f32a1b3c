// Devices whose push is on its way or waits for its time: when each is looked at again, and for how long they wait.
import { type Clock, pushLimits, type Timer } from '@postern/protocol'

type Parts = { clock: Clock; onTime: (device: string) => void }
type LookTimer = { atMs: number; timer: Timer }

export class WaitingDevices {
  readonly #parts: Parts
  readonly #timers = new Map<string, LookTimer>()
  /** The time of the oldest entry that waits for each. */
  readonly #oldest = new Map<string, number>()
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** An earlier look stays, and knows the next time when it is over. */
  lookAfter(device: string, afterMs: number): void {
    const { clock, onTime } = this.#parts
    const atMs = clock.monotonicMs() + afterMs
    const known = this.#timers.get(device)
    if (this.#isStopped || (known ? known.atMs <= atMs : this.#timers.size >= pushLimits.devicesMax)) return
    known?.timer.cancel()
    const look = (): void => {
      this.#timers.delete(device)
      onTime(device)
    }
    this.#timers.set(device, { atMs, timer: clock.setTimer(afterMs, look) })
  }

  waitsSince(device: string, ts: number): void {
    this.#oldest.set(device, ts)
  }

  /** A message has come whose time is not here yet. */
  waitsToo(device: string): void {
    if (this.#timers.has(device) && !this.#oldest.has(device)) this.#oldest.set(device, this.#parts.clock.nowMs())
  }

  /** Its push is no longer on its way. */
  returned(device: string): void {
    if (!this.#timers.has(device)) this.#oldest.delete(device)
  }

  waitsForNothing(device: string): void {
    this.#oldest.delete(device)
  }

  get oldestAgeMs(): number {
    const oldest = [...this.#oldest.values()].reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
    return Number.isFinite(oldest) ? Math.max(0, this.#parts.clock.nowMs() - oldest) : 0
  }

  get count(): number {
    return this.#oldest.size
  }

  stop(): void {
    this.#isStopped = true
    for (const { timer } of this.#timers.values()) timer.cancel()
  }
}
