// Ctrl-C and SIGTERM as a signal to stop. npm passes Ctrl-C on once more: it must not kill a stop that is under way.
import { CodedError } from '@postern/protocol'

export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  return stop.signal
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
}

/** For what may take long: it fails as soon as the program is to stop, and nobody looks at what becomes of it. */
export async function unlessStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const end = () => reject(new CodedError('stopping'))
  if (stop.aborted) end()
  stop.addEventListener('abort', end)
  work.then(resolve, reject)
  try {
    return await promise
  } finally {
    stop.removeEventListener('abort', end)
  }
}
