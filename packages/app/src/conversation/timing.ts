// Time as the screens' logic asks for it: a test has a clock of its own.
export type ScreenClock = {
  nowMs(): number
  /** Gives what stops it. */
  after(delayMs: number, run: () => void): () => void
}

/** Time that passes, whatever the clock is set to. */
export const pageTiming: ScreenClock = {
  nowMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}
