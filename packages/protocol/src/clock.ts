// A clock that is passed in, so that tests can move time instead of waiting.

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** The machine's time of day, for times that are shown or signed. Somebody may set it forward or back at any moment. */
  nowMs(): number
  /** Never goes back; advances at the pace of timers from an arbitrary start. Every wait within one process uses it. */
  monotonicMs(): number
  setTimer(afterMs: number, run: () => void): Timer
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Math.floor(performance.now()),
  setTimer(afterMs, run) {
    const handle = setTimeout(run, afterMs)
    return { cancel: () => clearTimeout(handle) }
  },
}
