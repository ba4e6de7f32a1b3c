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

  /** Clients open connections in advance. One on which nothing was ever asked would hold up the stop. */
  closeUnused(): void {
    for (const connection of this.#connections) if (connection.bytesRead === 0) connection.destroy()
  }

  /** Whoever still waits is answered now: a connection that is cut would leave the caller without a word. */
  lastCall(): void {
    this.#state = 'over'
    this.#lastCall.notify()
  }

  /** What the work gives, or `stopping` when the last call comes first. */
  orStopping<T>(work: Promise<T>): Promise<T> {
    const wait = new Deferred<T>()
    wait.settleWith(work)
    // What is done already is answered even then.
    if (this.#state === 'over') wait.settleWith(Promise.reject(new CodedError('stopping')))
    else wait.onSettled(this.#lastCall.listen(() => wait.reject(new CodedError('stopping'))))
    return wait.promise
  }
}
