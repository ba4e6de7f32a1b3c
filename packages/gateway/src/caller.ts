// The caller of a request: its rights, why it no longer waits for its answer, and whether an answer arrived.

import type { Access } from './access.ts'

/** The reason with which the signal of a request is aborted. */
export type GoneReason =
  /** The whole answer was handed to the system. */
  | 'answered'
  /** The connection closed before that. */
  | 'hung up'

/** The fate of an answer after that. */
export type AnswerOutcome =
  /** The next request came over the same connection. */
  | 'heard'
  /** The connection was reset: the system discarded the bytes that had not been read. */
  | 'reset'
  /** It was closed in order, by the sender or by somebody on the way: which one is unknown. */
  | 'closed'

/**
 * The client that waits for an answer. `fate` may be requested once the answer was sent. `trust` is called when the
 * client has shown a secret: a flood of strangers must not end its connection.
 */
export type HttpCaller = {
  access: Access
  gone: AbortSignal
  fate: (tell: (fate: AnswerOutcome) => void) => void
  trust: () => void
}

/** Calls immediately if it is already over. */
export function whenGone(gone: AbortSignal, call: (reason: GoneReason) => void): void {
  const tell = () => call(gone.reason as GoneReason)
  if (gone.aborted) tell()
  else gone.addEventListener('abort', tell, { once: true })
}
