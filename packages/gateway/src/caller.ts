// Why a caller no longer waits for its answer, and whether an answer arrived.

/** The reason with which the signal of a request is aborted. */
export type GoneReason =
  /** The answer was handed over to the system, as a whole. */
  | 'answered'
  /** The connection closed before that. */
  | 'hung up'

/** What became of an answer behind that. */
export type AnswerOutcome =
  /** The next request came over the same connection. */
  | 'heard'
  /** The connection was broken off: what had not been read was thrown away. */
  | 'reset'
  /** It was closed in good order, by the sender or by somebody on the way: nobody knows. */
  | 'closed'

/**
 * The client that waits for an answer. `fate` may be asked for once the answer was given. `trust` is called when the client has
 * shown a secret: a flood of strangers must not end its connection.
 */
export type HttpCaller = { gone: AbortSignal; fate: (tell: (fate: AnswerOutcome) => void) => void; trust: () => void }

/** Calls at once when it is over already. */
export function whenGone(gone: AbortSignal, call: (reason: GoneReason) => void): void {
  const tell = () => call(gone.reason as GoneReason)
  if (gone.aborted) tell()
  else gone.addEventListener('abort', tell, { once: true })
}
