// A relay's single lane to the log:
// keeps the order of arrival, and batches writes that arrive while one batch is in flight.
import { type Clock, CodedError, Deferred, postgresLimits } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { Append, CommitEnvelope, StoreOptions } from '../../relay-store.ts'
import { Backoff } from '../connection/backoff.ts'
import type { Postgres } from '../connection/database.ts'
import type { DedicatedConnection } from '../connection/dedicated-connection.ts'
import { isWorthAgain, isWorthAlone } from '../connection/storage-error.ts'
import { isTimeout, WorkSize } from '../connection/work-size.ts'
import type { BatchParts, GroupToMake, JudgedWrite, LogAnswer, LogWrite } from './batch.ts'
import { writeBatch } from './log-batch.ts'
import { writeOptimistic } from './optimistic-batch.ts'

type Parts = BatchParts & { clock: Clock; observe: StoreOptions['observe'] }
type Queued = { write: LogWrite; answer: Deferred<LogAnswer> }

function payloadBytesOf(write: LogWrite): number {
  if (write.kind === 'create') return 0
  if (write.kind === 'append') return write.append.payload.length
  return write.commit.payload.length + (write.commit.welcome?.length ?? 0)
}

export class LogLane {
  readonly #line: DedicatedConnection
  readonly #parts: Parts
  readonly #stop = new AbortController()
  readonly #queue: Queued[] = []
  readonly #writes = new WorkSize(postgresLimits.batchWrites)
  #queuedBytes = 0
  #running: Promise<void> | undefined
  /** Callers that wait for the batch in flight. */
  readonly #caughtUp: Deferred[] = []

  constructor(database: Postgres, parts: Parts) {
    this.#line = database.line()
    this.#parts = parts
  }

  append(append: Append): Promise<RelayVerdict> {
    return this.#write({ kind: 'append', append }) as Promise<RelayVerdict>
  }

  commit(commit: CommitEnvelope): Promise<RelayVerdict> {
    return this.#write({ kind: 'commit', commit }) as Promise<RelayVerdict>
  }

  /** Ordered among the other writes: a client may write to a group before the answer to its creation. */
  create(create: GroupToMake): Promise<'created' | 'exists'> {
    return this.#write({ kind: 'create', create }) as Promise<'created' | 'exists'>
  }

  /** Not async: writes are queued in the order of their arrival. */
  #write(write: LogWrite): Promise<LogAnswer> {
    const bytes = payloadBytesOf(write)
    // A slow database applies backpressure to senders: the queue is bounded.
    if (this.#queuedBytes + bytes > postgresLimits.queuedBytesMax) return Promise.reject(new CodedError('unavailable'))
    const answer = new Deferred<LogAnswer>()
    this.#queuedBytes += bytes
    this.#queue.push({ write, answer })
    this.#running ??= this.#run()
    return answer.promise
  }

  /** Resolves when all earlier writes are in the log or refused: a reader need not know which. */
  async caughtUp(): Promise<void> {
    if (!this.#running) return
    const wait = new Deferred()
    this.#queue.at(-1)?.answer.onSettled(() => wait.resolve())
    if (this.#queue.length === 0) this.#caughtUp.push(wait)
    await wait.promise
  }

  /** Batches in doubt stay so: a client that asks again gets the answer. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** Never rejects: each writer receives its own result. */
  async #run(): Promise<void> {
    // Writes of one turn share a batch.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch()
      const judged = await this.#judge(batch.map(({ write }) => write))
      for (const [at, { answer }] of batch.entries()) settle(answer, judged[at])
      for (const wait of this.#caughtUp.splice(0)) wait.resolve()
    }
    this.#running = undefined
  }

  /** Senders whose batch took too long retry, and then fewer of them share a batch. */
  #nextBatch(): Queued[] {
    const { batchWrites, batchBytes } = postgresLimits
    const { size } = this.#writes
    let bytes = 0
    const end = this.#queue.findIndex(({ write }, at) => {
      bytes += payloadBytesOf(write)
      return at > 0 && (at >= size || bytes > batchBytes * (size / batchWrites))
    })
    const batch = this.#queue.splice(0, end === -1 ? this.#queue.length : end)
    for (const { write } of batch) this.#queuedBytes -= payloadBytesOf(write)
    return batch
  }

  async #judge(writes: readonly LogWrite[], triesLeft: number = postgresLimits.batchTriesMax): Promise<JudgedWrite[]> {
    const observed = this.#parts.observe?.()
    try {
      const judged = await this.#judgeTogether(writes)
      observed?.(writes.length)
      return judged
    } catch (error) {
      if (isWorthAgain(error) && triesLeft > 0) return await this.#judge(writes, triesLeft - 1)
      if (writes.length === 1 || !isWorthAlone(error)) return writes.map(() => ({ kind: 'failed', error }))
      // One by one: a bad write must not fail its neighbours.
      const alone: JudgedWrite[] = []
      for (const write of writes) alone.push(...(await this.#judge([write])))
      return alone
    }
  }

  /**
   * If the connection is lost at the commit, the whole batch is judged again: the groups stay locked until the first
   * try has ended, and its writes are then found in the log. A sender never receives an answer that may turn out wrong.
   */
  async #judgeTogether(writes: readonly LogWrite[], isKnown = true): Promise<JudgedWrite[]> {
    const backoff = new Backoff()
    for (let isInDoubt = !isKnown; ; ) {
      try {
        const done = await this.#attempt(writes, isInDoubt)
        if (done.kind === 'committed') return done.value
        isInDoubt = true
      } catch (error) {
        if (!isInDoubt || this.#stop.signal.aborted) throw error
        if (isTimeout(error) && writes.length > 1) return await this.#judgeHalves(writes)
      }
      await this.#pause(backoff.nextMs())
    }
  }

  async #attempt(writes: readonly LogWrite[], isInDoubt: boolean) {
    const { clock } = this.#parts
    const startedMs = clock.monotonicMs()
    try {
      const recalled = isInDoubt ? undefined : await writeOptimistic(this.#line, this.#parts, writes)
      const isSo = recalled && recalled.kind !== 'fall-back'
      const done = isSo ? recalled : await writeBatch(this.#line, this.#parts, writes)
      if (done.kind === 'committed') this.#writes.succeeded(clock.monotonicMs() - startedMs)
      return done
    } catch (error) {
      this.#writes.failed(error)
      throw error
    }
  }

  /** A batch in doubt is retried until its outcome is known: one that is too large would be retried forever. */
  async #judgeHalves(writes: readonly LogWrite[]): Promise<JudgedWrite[]> {
    const half = Math.ceil(writes.length / 2)
    const first = await this.#judgeTogether(writes.slice(0, half), false)
    return [...first, ...(await this.#judgeTogether(writes.slice(half), false))]
  }

  async #pause(afterMs: number): Promise<void> {
    const wait = new Deferred()
    wait.after(this.#parts.clock, afterMs, () => wait.resolve())
    wait.onAbort(this.#stop.signal, () => wait.resolve())
    await wait.promise
  }
}

function settle(answer: Deferred<LogAnswer>, judged: JudgedWrite | undefined): void {
  if (judged?.kind === 'judged') answer.resolve(judged.answer)
  else answer.reject(judged?.error)
}
