// Why nobody waits for an answer any more: the reason with which the signal of a request is aborted.

export type GoneReason =
  /** The answer was handed over to the system, as a whole. */
  | 'answered'
  /** The connection closed before that. */
  | 'hung up'

/** Calls at once when it is over already. */
export function whenGone(gone: AbortSignal, call: (reason: GoneReason) => void): void {
  const tell = () => call(gone.reason as GoneReason)
  if (gone.aborted) tell()
  else gone.addEventListener('abort', tell, { once: true })
}
