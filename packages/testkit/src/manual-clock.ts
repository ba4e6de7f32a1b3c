// A clock that stands until a test moves it.
import type { Clock, Timer } from '@postern/protocol'

type Waiting = { atMs: number; run: () => void }

export class ManualClock implements Clock {
  #nowMs: number
  readonly #waiting = new Set<Waiting>()

  constructor(startMs: number = Date.UTC(2030, 0, 1)) {
    this.#nowMs = startMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  setTimer(afterMs: number, run: () => void): Timer {
    const waiting = { atMs: this.#nowMs + Math.max(0, afterMs), run }
    this.#waiting.add(waiting)
    return { cancel: () => void this.#waiting.delete(waiting) }
  }

  get timerCount(): number {
    return this.#waiting.size
  }

  /** Runs what falls due on the way, in order of time, each at its own moment. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs
    for (let next = this.#nextBy(untilMs); next; next = this.#nextBy(untilMs)) {
      this.#waiting.delete(next)
      this.#nowMs = next.atMs
      next.run()
    }
    this.#nowMs = untilMs
  }

  #nextBy(untilMs: number): Waiting | undefined {
    let next: Waiting | undefined
    for (const waiting of this.#waiting)
      if (waiting.atMs <= untilMs && (!next || waiting.atMs < next.atMs)) next = waiting
    return next
  }
}

/** Time passes while a test waits: a tenth of a second at each turn of the event loop, until the work is done. */
export async function passTime<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  const settled = work.then(
    () => true,
    () => true,
  )
  const turn = () => new Promise<false>(resolve => setImmediate(() => resolve(false)))
  while (!(await Promise.race([settled, turn()]))) clock.advance(100)
  return await work
}
