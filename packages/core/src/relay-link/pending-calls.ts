// Calls that wait for the relay's answer on one connection.
import { type Clock, CodedError, cleanLine, Deferred, type ErrorCode, isErrorCode } from '@postern/protocol'
import type { RelayFrame } from '@postern/protocol/relay'

type Pending = { name: string; wait: Pick<Deferred<never>, 'resolve' | 'reject'> }

export class PendingCalls {
  readonly #clock: Clock
  readonly #pending = new Map<number, Pending>()
  #lastId = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The id under which to send the call, and the promise of its answer. */
  add<Answer>(name: string, timeoutMs: number): { id: number; answer: Promise<Answer> } {
    this.#lastId = (this.#lastId % 0xffff_ffff) + 1
    const id = this.#lastId
    const wait = new Deferred<Answer>()
    wait.after(this.#clock, timeoutMs, () => wait.reject(new CodedError('send-in-doubt')))
    wait.onSettled(() => this.#pending.delete(id))
    this.#pending.set(id, { name, wait })
    return { id, answer: wait.promise }
  }

  settle(frame: Extract<RelayFrame, { kind: 'answer' | 'failure' }>): void {
    const pending = this.#pending.get(frame.id)
    // A call that was given up waits for nothing; asking again finds its outcome.
    if (!pending) return
    const { name, wait } = pending
    if (frame.kind === 'failure') return wait.reject(failureError(frame))
    if (frame.name !== name)
      return wait.reject(new CodedError('relay-broken', { what: `${frame.name} answers ${name}` }))
    wait.resolve(frame.answer as never)
  }

  failAll(code: ErrorCode): void {
    for (const { wait } of [...this.#pending.values()]) wait.reject(new CodedError(code))
  }
}

const FAULTS_OF_ITS_STORE = new Set(['storage-failed', 'unavailable', 'descriptors-used-up', 'database-damaged'])

function failureError(frame: Extract<RelayFrame, { kind: 'failure' }>): CodedError {
  const { retryAtMs, serial } = frame
  const details = { ...(retryAtMs !== undefined && { retryAtMs }), ...(serial !== undefined && { serial }) }
  // It is the relay's disk or database, and not ours: the reader of the error must look in the right place.
  if (frame.code === 'storage-full') return new CodedError('relay-full')
  if (FAULTS_OF_ITS_STORE.has(frame.code)) return new CodedError('relay-failing', details)
  // It is shown to people and written to logs: a relay must not write more than one line of either.
  const message = cleanLine(frame.message)
  if (!isErrorCode(frame.code)) return new CodedError('relay-broken', { what: message || 'an error without words' })
  return new CodedError(frame.code, details, { message: message || `The relay refused it (${frame.code}).` })
}
