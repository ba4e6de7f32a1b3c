// A clock that is passed in, so that tests can move time instead of waiting.

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** What the machine is set to: for what is shown and signed. It may be set forward or back at any moment. */
  nowMs(): number
  /** Only ever goes on, at the pace of timers, from wherever it began: for everything that waits within one process. */
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
