// Time as something that is handed in, so that tests move it instead of waiting.

export interface Timer {
  cancel(): void
}

export interface Clock {
  nowMs(): number
  setTimer(afterMs: number, run: () => void): Timer
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  setTimer(afterMs, run) {
    const handle = setTimeout(run, afterMs)
    return { cancel: () => clearTimeout(handle) }
  },
}
