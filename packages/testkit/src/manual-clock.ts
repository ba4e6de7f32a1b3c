// A clock that stands still until a test moves it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Timer } from '@postern/protocol'

type Waiting = { atMs: number; lengthMs: number; run: () => void }

export class ManualClock implements Clock {
  #elapsedMs = 0
  /** The clock's time when nothing has passed yet. */
  #setToMs: number
  readonly #waiting = new Set<Waiting>()

  constructor(startMs: number = Date.UTC(2030, 0, 1)) {
    this.#setToMs = startMs
  }

  nowMs(): number {
    return this.#setToMs + this.#elapsedMs
  }

  monotonicMs(): number {
    return this.#elapsedMs
  }

  /** Sets the clock, forward or back: no time passes by that. */
  set(byMs: number): void {
    this.#setToMs += byMs
  }

  setTimer(afterMs: number, run: () => void): Timer {
    const waiting = { atMs: this.#elapsedMs + Math.max(0, afterMs), lengthMs: afterMs, run }
    this.#waiting.add(waiting)
    return { cancel: () => void this.#waiting.delete(waiting) }
  }

  get timerCount(): number {
    return this.#waiting.size
  }

  /** Whether a timer ends exactly this long from now. */
  isAwaited(ms: number): boolean {
    return [...this.#waiting].some(({ atMs }) => atMs === this.#elapsedMs + ms)
  }

  /** How long the first timer that was set to this length still takes. */
  untilTimerOf(lengthMs: number): number | undefined {
    const times = [...this.#waiting].flatMap(waiting => (waiting.lengthMs === lengthMs ? waiting.atMs : []))
    return times.length === 0 ? undefined : Math.min(...times) - this.#elapsedMs
  }

  /** Runs due timers in order of time, each at its own moment. */
  advance(byMs: number): void {
    const untilMs = this.#elapsedMs + byMs
    for (let next = this.#nextBy(untilMs); next; next = this.#nextBy(untilMs)) {
      this.#waiting.delete(next)
      this.#elapsedMs = next.atMs
      next.run()
    }
    this.#elapsedMs = untilMs
  }

  /**
   * As after a sleep of the machine: timers that fell due run once, and timers that they set begin from now. Advancing
   * by hours moment by moment would cause thousands of lost heartbeats, and of sockets that are opened and abandoned.
   */
  leap(byMs: number): void {
    this.#elapsedMs += byMs
    for (let next = this.#nextBy(this.#elapsedMs); next; next = this.#nextBy(this.#elapsedMs)) {
      this.#waiting.delete(next)
      next.run()
    }
  }

  #nextBy(untilMs: number): Waiting | undefined {
    let next: Waiting | undefined
    for (const waiting of this.#waiting)
      if (waiting.atMs <= untilMs && (!next || waiting.atMs < next.atMs)) next = waiting
    return next
  }
}

/** Time per millisecond of the machine: a deadline of ten seconds is over in a tenth of one. */
const PASSES_MS = 100

/**
 * Time passes while a test waits, until the work is done. It is bound to the machine's time: if it passed with each
 * turn of the event loop, it would be over before a thread or a socket of a busy machine has had its turn.
 */
export async function passTime<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  return await meanwhile(work, () => clock.advance(PASSES_MS))
}

/**
 * Time stands still until a timer of exactly this length exists, and then that time passes: the steps before it may be
 * slow.
 */
export async function passWhenAwaited<T>(clock: ManualClock, ms: number, work: Promise<T>): Promise<T> {
  return await meanwhile(work, () => {
    if (clock.isAwaited(ms)) clock.advance(ms)
  })
}

async function meanwhile<T>(work: Promise<T>, step: () => void): Promise<T> {
  const state = { isOver: false }
  const over = () => {
    state.isOver = true
  }
  work.then(over, over)
  for (await pause(1); !state.isOver; await pause(1)) step()
  return await work
}
