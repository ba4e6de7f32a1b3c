// Retries while somebody waits for the answer: a relay that is away for a moment must not leave a screen empty.
import { CallError } from '../contract/calls.ts'
import { begin } from './attempt.ts'

const PAUSE_MS_MAX = 15_000

/** These faults may be over in a moment. */
const PASSING = /^(relay-(unreachable|stopping|failing)|not-registered|rate-limited|stopping)$/

const mayPass = (error: unknown): boolean => error instanceof CallError && PASSING.test(error.fault.code)

/** Calls `run` after the pause, or earlier when there may be a connection again. Returns a function that cancels it. */
export type PauseThen = (pauseMs: number, run: () => void) => () => void

const pauseOnPage: PauseThen = (pauseMs, run) => {
  const over = (): void => {
    clearTimeout(timer)
    removeEventListener('online', wake)
  }
  const wake = (): void => {
    over()
    run()
  }
  const timer = setTimeout(wake, pauseMs)
  addEventListener('online', wake)
  return over
}

type Answered<Value> = {
  answered?: (value: Value) => void
  /** A retry would not help. Without a handler, the fault is shown as a toast. */
  refused?: (error: unknown) => void
  /** False for an answer that is shown, but of which more is to be expected: it is asked for again. */
  isComplete?: (value: Value) => boolean
}

/** Returns a function that ends it: nothing is called after that. */
export function askUntilAnswered<Value>(
  ask: () => Promise<Value>,
  { answered, refused, isComplete = () => true }: Answered<Value> = {},
  pause: PauseThen = pauseOnPage,
): () => void {
  let isOver = false
  let tries = 0
  let cancel = (): void => undefined
  const again = (): void => {
    cancel = pause(Math.min(PAUSE_MS_MAX, 1_000 * 2 ** tries++), () => begin(round()))
  }
  const round = async (): Promise<void> => {
    try {
      const value = await ask()
      if (isOver) return
      answered?.(value)
      if (!isComplete(value)) again()
    } catch (error) {
      if (isOver) return
      if (!mayPass(error)) {
        if (!refused) throw error
        return refused(error)
      }
      again()
    }
  }
  begin(round())
  return () => {
    isOver = true
    cancel()
  }
}
