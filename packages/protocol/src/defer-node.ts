// Defers work to the end of the turn. An error thrown from an event loop callback would end the process.
import { type Background, guarded } from './background.ts'

export function nextTurn(run: () => void, background: Background): void {
  setImmediate(guarded(run, background))
}

/** In the same turn, behind all that is written in it. */
export function endOfTick(run: () => void, background: Background): void {
  process.nextTick(guarded(run, background))
}

/** In the same turn, when all that can be answered at once is answered. */
export function afterMicrotasks(run: () => void, background: Background): void {
  queueMicrotask(() => endOfTick(run, background))
}

/** For what cannot throw alone: to resolve a promise, to close sockets. */
export function wakeNextTurn(wake: () => void): void {
  setImmediate(wake)
}
