// Waiting that ends when it is no longer wanted.
import type { Clock } from '@postern/protocol'

/** Settles as `waited` does, or with the signal's reason as soon as it is aborted. */
export async function unlessAborted<T>(waited: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([waited, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    // Its outcome is of no interest any more, but it must not count as unhandled.
    waited.catch(() => undefined)
  }
}

/** Gives what `source` gives, until the signal is aborted; a source that hangs then is not waited for. */
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

export async function pauseFor(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = clock.setTimer(ms, over.resolve)
  try {
    await unlessAborted(over.promise, signal)
  } finally {
    timer.cancel()
  }
}
