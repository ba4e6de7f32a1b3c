// Why nobody waits for an answer any more, and what is learned afterwards of one that was given.

/** The reason with which the signal of a request is aborted. */
export type GoneReason =
  /** The answer was handed over to the system, as a whole. */
  | 'answered'
  /** The connection closed before that. */
  | 'hung up'

/** What became of an answer behind that. */
export type Fate =
  /** The next request came over the same connection. */
  | 'heard'
  /** The connection was broken off: what had not been read was thrown away. */
  | 'reset'
  /** It was closed in good order, by the sender or by somebody on the way: nobody knows. */
  | 'closed'

/** Who waits for an answer. `fate` may be asked for once it was given. */
export type Caller = { gone: AbortSignal; fate: (tell: (fate: Fate) => void) => void }

/** Calls at once when it is over already. */
export function whenGone(gone: AbortSignal, call: (reason: GoneReason) => void): void {
  const tell = () => call(gone.reason as GoneReason)
  if (gone.aborted) tell()
  else gone.addEventListener('abort', tell, { once: true })
}
