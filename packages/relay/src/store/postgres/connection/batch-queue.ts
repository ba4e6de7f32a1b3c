// Collects requests of one kind: all that arrive while a statement is in flight share the next one.
import { CodedError, Deferred, inBackground, postgresLimits, silentLog } from '@postern/protocol'
import { goneRefusal } from './gone-refusal.ts'
import { isWorthAgain, isWorthAlone } from './storage-error.ts'

type Waiting<Asked, Answer> = { asked: Asked; answer: Deferred<Answer> }
type Batching<Asked, Answer> = {
  /** Returns an answer for each request, in their order. */
  run: (batch: readonly Asked[]) => Promise<readonly Answer[]>
  batchMax: number
  /** A batch has at most one request per key: the others wait for the next one, in their order. */
  keyOf?: (asked: Asked) => string
}

export class BatchQueue<Asked, Answer> {
  readonly #batching: Batching<Asked, Answer>
  /** In the order of their arrival. Abandoned requests are removed. */
  readonly #waiting = new Set<Waiting<Asked, Answer>>()
  #isRunning = false

  constructor(batching: Batching<Asked, Answer>) {
    this.#batching = batching
  }

  /**
   * Throws `unavailable` if too many wait.
   * A request is dropped if its caller has disconnected before its statement is sent.
   */
  ask(asked: Asked, signal?: AbortSignal): Promise<Answer> {
    if (this.#waiting.size >= postgresLimits.batchWaitingMax) return Promise.reject(new CodedError('unavailable'))
    const waiting = { asked, answer: new Deferred<Answer>() }
    this.#waiting.add(waiting)
    waiting.answer.onSettled(() => this.#waiting.delete(waiting))
    if (signal) waiting.answer.onAbort(signal, () => waiting.answer.reject(goneRefusal()))
    if (!this.#isRunning) inBackground(this.#run(), { what: 'requests not answered', log: silentLog })
    return waiting.answer.promise
  }

  /** Never rejects: each caller receives its own failure. */
  async #run(): Promise<void> {
    this.#isRunning = true
    // Requests of one turn share a batch.
    await Promise.resolve()
    while (this.#waiting.size > 0) await this.#answer(this.#next())
    this.#isRunning = false
  }

  #next(): Waiting<Asked, Answer>[] {
    const { batchMax, keyOf } = this.#batching
    const batch: Waiting<Asked, Answer>[] = []
    const keys = new Set<string>()
    for (const waiting of this.#waiting) {
      if (batch.length === batchMax) break
      const key = keyOf?.(waiting.asked)
      if (key !== undefined && keys.has(key)) continue
      if (key !== undefined) keys.add(key)
      batch.push(waiting)
    }
    for (const waiting of batch) this.#waiting.delete(waiting)
    return batch
  }

  async #answer(
    batch: readonly Waiting<Asked, Answer>[],
    triesLeft: number = postgresLimits.batchTriesMax,
  ): Promise<void> {
    try {
      const answers = await this.#batching.run(batch.map(({ asked }) => asked))
      for (const [at, { answer }] of batch.entries()) answer.resolve(answers[at] as Answer)
    } catch (error) {
      if (isWorthAgain(error) && triesLeft > 0) return await this.#answer(batch, triesLeft - 1)
      if (batch.length === 1 || !isWorthAlone(error)) for (const { answer } of batch) answer.reject(error)
      // One by one: a bad request must not fail its neighbours.
      else for (const waiting of batch) await this.#answer([waiting])
    }
  }
}
