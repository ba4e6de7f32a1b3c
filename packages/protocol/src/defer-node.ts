// Defers work to the end of the turn. An error thrown from an event loop callback would end the process.
import { type Background, guarded } from './background.ts'

export function nextTurn(run: () => void, background: Background): void {
  setImmediate(guarded(run, background))
}

/** In the same turn, after everything that is written in it. */
export function endOfTick(run: () => void, background: Background): void {
  process.nextTick(guarded(run, background))
}

/** In the same turn, after all answers that are ready without waiting. */
export function afterMicrotasks(run: () => void, background: Background): void {
  queueMicrotask(() => endOfTick(run, background))
}

/** Only for callbacks that cannot throw: resolving a promise, closing sockets. */
export function wakeNextTurn(wake: () => void): void {
  setImmediate(wake)
}
