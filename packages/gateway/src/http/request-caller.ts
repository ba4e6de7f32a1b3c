// Who waits for an answer, as its handler sees it. The signal is made when it is asked for: most answers are given without.
import type { ServerResponse } from 'node:http'
import type { Caller, Fate, GoneReason } from '../caller.ts'
import type { Fates } from './fates.ts'

export class RequestCaller implements Caller {
  readonly #response: ServerResponse
  #gone: AbortSignal | undefined
  readonly fate: (tell: (fate: Fate) => void) => void

  constructor(response: ServerResponse, fates: Fates) {
    const { req } = response
    this.#response = response
    this.fate = tell => fates.watch(req.socket, tell)
  }

  get gone(): AbortSignal {
    return (this.#gone ??= goneSignal(this.#response))
  }
}

/** Tells when nobody waits for the answer any more, and why; at once where that was so before anybody asked. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const tell = () => gone.abort((response.writableFinished ? 'answered' : 'hung up') satisfies GoneReason)
  if (response.closed) tell()
  else response.once('close', tell)
  return gone.signal
}
