// Time, as far as the SDK needs it. Tests pass a clock of their own.

export interface Clock {
  nowMs(): number
  setTimer(afterMs: number, run: () => void): { cancel(): void }
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  setTimer: (afterMs, run) => {
    const timer = setTimeout(run, afterMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

/** Ends early, without an error, when the signal is aborted. */
export async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return
  await new Promise<void>(resolve => {
    const end = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = clock.setTimer(ms, end)
    signal?.addEventListener('abort', end)
  })
}
