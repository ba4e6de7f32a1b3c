// Turns SIGTERM and SIGINT into an abort signal. A repeated signal, as npm sends for Ctrl-C, must not kill a stop in progress.
import { CodedError } from '../errors.ts'

/** To be called before anything is started: a signal that comes meanwhile must not kill it in the middle. */
export function stopSignal(): { signal: AbortSignal; forget: () => void } {
  const stop = new AbortController()
  const listener = () => stop.abort(new CodedError('stopping'))
  const names = ['SIGTERM', 'SIGINT'] as const
  for (const name of names) process.on(name, listener)
  return {
    signal: stop.signal,
    forget: () => {
      for (const name of names) process.off(name, listener)
    },
  }
}
