// The stop, as requests see it: current requests are served first, then callers that still wait receive 503.
import type { Socket } from 'node:net'
import { CodedError, Deferred, Notifier } from '@postern/protocol'

export class GracefulClose {
  readonly #lastCall = new Notifier()
  readonly #connections = new Set<Socket>()
  #state: 'serving' | 'stopping' | 'over' = 'serving'

  get isStopping(): boolean {
    return this.#state !== 'serving'
  }

  watch(connection: Socket): void {
    this.#connections.add(connection)
    connection.once('close', () => this.#connections.delete(connection))
  }

  begin(): void {
    this.#state = 'stopping'
  }

  /** Clients open connections in advance. One without a single request would delay the stop. */
  closeUnused(): void {
    for (const connection of this.#connections) if (connection.bytesRead === 0) connection.destroy()
  }

  /** Requests that still wait are answered now: a cut connection would leave the caller without an answer. */
  lastCall(): void {
    this.#state = 'over'
    this.#lastCall.notify()
  }

  /** The result of the work, or `stopping` if the last call comes first. */
  orStopping<T>(work: Promise<T>): Promise<T> {
    const wait = new Deferred<T>()
    wait.settleWith(work)
    // Work that is already done is answered even then.
    if (this.#state === 'over') wait.settleWith(Promise.reject(new CodedError('stopping')))
    else wait.onSettled(this.#lastCall.listen(() => wait.reject(new CodedError('stopping'))))
    return wait.promise
  }
}
