// Waits that end when the caller aborts.
import type { Clock } from '../clock.ts'
import { Deferred } from './deferred.ts'

/**
 * Settles with the work, or with the signal's reason as soon as it is aborted: the outcome of the work is then ignored.
 * Work that is already done counts, also after the abort.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const wait = new Deferred<T>()
  wait.settleWith(work)
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whoever aborts gives the reason
  if (signal.aborted) wait.settleWith(Promise.reject(signal.reason))
  else wait.onAbort(signal, () => wait.reject(signal.reason))
  return wait.promise
}

/** Yields the values of `source` until the signal is aborted; a source that hangs is then not awaited. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await unlessAborted(items.next(), signal)
      if (next.done) return
      yield next.value
    }
  } finally {
    Promise.resolve(items.return?.()).catch(() => undefined)
  }
}

/** Resolves at the abort. */
export function aborted(signal: AbortSignal): Promise<void> {
  const wait = new Deferred()
  wait.onAbort(signal, () => wait.resolve())
  return wait.promise
}

/** Resolves after this time, or at the abort: the caller checks which it was. */
export function pause(clock: Clock, ms: number, until: AbortSignal): Promise<void> {
  const wait = new Deferred()
  wait.onAbort(until, () => wait.resolve())
  wait.after(clock, ms, () => wait.resolve())
  return wait.promise
}
