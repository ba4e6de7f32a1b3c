// Time for the screens' logic: a test has its own clock.
export type ScreenClock = {
  nowMs(): number
  /** Returns a function that stops it. */
  after(delayMs: number, run: () => void): () => void
}

/** Elapsed time, whatever the clock is set to. */
export const pageTiming: ScreenClock = {
  nowMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}
