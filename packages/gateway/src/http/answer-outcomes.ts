// Tracks the fate of answers: a client that sends its next request on the same connection has received the last answer.
import type { Socket } from 'node:net'
import type { AnswerOutcome } from '../caller.ts'

type Tell = (fate: AnswerOutcome) => void

export class AnswerOutcomes {
  readonly #waiting = new WeakMap<Socket, Set<Tell>>()

  /** Watches an answer that was handed to the system just now. */
  watch(connection: Socket, tell: Tell): void {
    if (connection.closed) return tell('closed')
    const waiting = this.#waiting.get(connection) ?? this.#watched(connection)
    waiting.add(tell)
  }

  /** Called with each request. A request that came before the answer, from a sender that does not wait, proves nothing. */
  arrived(connection: Socket): void {
    this.#tellAll(connection, 'heard')
  }

  #watched(connection: Socket): Set<Tell> {
    const waiting = new Set<Tell>()
    this.#waiting.set(connection, waiting)
    connection.once('close', isBroken => this.#tellAll(connection, isBroken ? 'reset' : 'closed'))
    return waiting
  }

  #tellAll(connection: Socket, fate: AnswerOutcome): void {
    const waiting = this.#waiting.get(connection)
    if (!waiting || waiting.size === 0) return
    const told = [...waiting]
    waiting.clear()
    for (const tell of told) tell(fate)
  }
}
