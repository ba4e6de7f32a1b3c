// The caller of a request, as its handler sees it. The signal is created on demand: most answers do not need it.
import type { ServerResponse } from 'node:http'
import type { Access } from '../access.ts'
import type { AnswerOutcome, GoneReason, HttpCaller } from '../caller.ts'
import type { AnswerOutcomes } from './answer-outcomes.ts'
import { trustConnection } from './connections.ts'

export class RequestCaller implements HttpCaller {
  readonly #response: ServerResponse
  readonly access: Access
  #gone: AbortSignal | undefined
  readonly fate: (tell: (fate: AnswerOutcome) => void) => void
  readonly trust: () => void

  constructor(response: ServerResponse, { fates, access }: { fates: AnswerOutcomes; access: Access }) {
    const { req } = response
    this.#response = response
    this.access = access
    this.fate = tell => fates.watch(req.socket, tell)
    this.trust = () => trustConnection(req.socket)
  }

  get gone(): AbortSignal {
    return (this.#gone ??= goneSignal(this.#response))
  }
}

/** Aborts with the reason when nobody waits for the answer any more; immediately if that is already so. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const tell = () => gone.abort((response.writableFinished ? 'answered' : 'hung up') satisfies GoneReason)
  if (response.closed) tell()
  else response.once('close', tell)
  return gone.signal
}
