// The one lane of a relay to the log: writes go in the order of their arrival, and what comes while one batch is under way goes together.
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
  /** Who waits for the batch that is under way. */
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

  /** In its place among the others: whoever has asked for a group may write to it before it is answered. */
  create(create: GroupToMake): Promise<'created' | 'exists'> {
    return this.#write({ kind: 'create', create }) as Promise<'created' | 'exists'>
  }

  /** Not async: writes are queued in the order in which they come. */
  #write(write: LogWrite): Promise<LogAnswer> {
    const bytes = payloadBytesOf(write)
    // A slow database pushes back on senders: what waits for it is bounded.
    if (this.#queuedBytes + bytes > postgresLimits.queuedBytesMax) return Promise.reject(new CodedError('unavailable'))
    const answer = new Deferred<LogAnswer>()
    this.#queuedBytes += bytes
    this.#queue.push({ write, answer })
    this.#running ??= this.#run()
    return answer.promise
  }

  /** All that was written before is in the log, or refused: who only reads need not know which. */
  async caughtUp(): Promise<void> {
    if (!this.#running) return
    const wait = new Deferred()
    this.#queue.at(-1)?.answer.onSettled(() => wait.resolve())
    if (this.#queue.length === 0) this.#caughtUp.push(wait)
    await wait.promise
  }

  /** What is in doubt stays so: whoever asks again is told. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** Never rejects: whoever has written hears what became of it. */
  async #run(): Promise<void> {
    // The writes of one turn go together.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch()
      const judged = await this.#judge(batch.map(({ write }) => write))
      for (const [at, { answer }] of batch.entries()) settle(answer, judged[at])
      for (const wait of this.#caughtUp.splice(0)) wait.resolve()
    }
    this.#running = undefined
  }

  /** Senders whose batch took too long come again, and then fewer of them share a batch. */
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
      // Each alone: one bad write must not take its neighbours with it.
      const alone: JudgedWrite[] = []
      for (const write of writes) alone.push(...(await this.#judge([write])))
      return alone
    }
  }

  /**
   * When the connection is lost at the commit, all of it is judged once more: the groups stay locked until the first try has
   * ended, and what it has brought into the log is found there. A sender is told nothing that may turn out to be wrong.
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

  /** In doubt, a batch is retried until it is known: whole, one that is too large would be retried for ever. */
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
