// Group commit: the writes of one event-loop turn share one transaction and one fsync;
// no caller is answered before COMMIT.
import { CodedError, Deferred } from '@postern/protocol'
import { wakeNextTurn } from '@postern/protocol/node'
import type { StoreOptions } from '../relay-store.ts'
import { type SteadyDatabase, storageError } from './database.ts'

/** Parts with state in memory beside the rows must follow the transaction. */
export type CommitHooks = {
  beforeCommit(): void
  committed(): void
  rolledBack(): void
  /** Committed writes are durable, and no caller has been answered yet. */
  durable(): void
}

type Observe = NonNullable<StoreOptions['observe']>
type Settled = { kind: 'done'; value: unknown } | { kind: 'failed'; error: unknown }
type Write = { apply: () => unknown; wait: Pick<Deferred<never>, 'resolve' | 'reject'> }

export class GroupCommit {
  readonly #db: SteadyDatabase
  readonly #hooks: CommitHooks
  readonly #writesMax: number
  readonly #observe: Observe | undefined
  readonly #begin
  readonly #commit
  readonly #queue: Write[] = []
  #armed = false

  constructor(db: SteadyDatabase, options: { hooks: CommitHooks; writesMax: number; observe?: Observe | undefined }) {
    this.#db = db
    this.#hooks = options.hooks
    this.#writesMax = options.writesMax
    this.#observe = options.observe
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** `apply` refuses with a CodedError before it writes anything; any other error rolls back this write alone. */
  run<T>(apply: () => T): Promise<T> {
    const wait = new Deferred<T>()
    this.#queue.push({ apply, wait })
    this.#arm()
    return wait.promise
  }

  /** Resolves when all queued writes are done or have failed: a reader need not know which. */
  async caughtUp(): Promise<void> {
    if (this.#queue.length > 0) await this.run(() => undefined).catch(() => undefined)
  }

  flush(): void {
    while (this.#queue.length > 0) this.#flushOnce()
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    // An error of a write goes to its caller. The hooks only touch memory and call wakes that never throw.
    wakeNextTurn(() => {
      this.#armed = false
      this.#flushOnce()
      if (this.#queue.length > 0) this.#arm()
    })
  }

  #flushOnce(): void {
    const batch = this.#queue.splice(0, this.#writesMax)
    if (batch.length === 0) return
    const settled = this.#commitTogether(batch)
    // Notify receivers first: the sender can wait for its confirmation.
    this.#hooks.durable()
    for (const [at, { wait }] of batch.entries()) {
      const outcome = settled[at]
      if (outcome?.kind === 'done') wait.resolve(outcome.value as never)
      else wait.reject(outcome?.error)
    }
  }

  #commitTogether(batch: Write[]): Settled[] {
    const observed = this.#observe?.()
    try {
      this.#begin.run()
      const settled = batch.map(settle)
      this.#hooks.beforeCommit()
      this.#commit.run()
      observed?.(batch.length)
      this.#hooks.committed()
      return settled
    } catch (cause) {
      // A full disk ends the transaction automatically, and on a dead one the rollback may fail.
      this.#db.rollBack()
      this.#hooks.rolledBack()
      if (batch.length === 1) return [{ kind: 'failed', error: storageError(cause) }]
      // One by one: a bad write must not fail its neighbours.
      return batch.flatMap(write => this.#commitTogether([write]))
    }
  }
}

function settle(write: Write): Settled {
  try {
    return { kind: 'done', value: write.apply() }
  } catch (error) {
    if (error instanceof CodedError) return { kind: 'failed', error }
    throw error
  }
}
