// The only way to write: changes of one event-loop turn share a transaction,
// and their callers are answered after its commit.
import {
  CodedError,
  clientLimits,
  Deferred,
  databaseLimits,
  giveBackPages,
  guarded,
  hasMuchFree,
  logFault,
  silentLog,
  systemClock,
  systemFault,
  type Timer,
} from '@postern/protocol'
import { type Database, pagesOf, type SqlValue } from '../database.ts'
import { collectTopics, noteTopics, type Topic } from './topics.ts'
import { type DatabaseChange, type Durability, type StorageContext, Transactions } from './transactions.ts'

export type { DatabaseChange, Durability }

type QueuedWrite = {
  change: DatabaseChange<unknown>
  durability: Durability
  wait: Pick<Deferred<never>, 'resolve' | 'reject'>
}
type WriteOutcome = { waiting: QueuedWrite; value: unknown }

export type TopicListener = (topics: ReadonlySet<Topic>) => void

export class Store {
  readonly #database: Database
  readonly #nextTurn: (run: () => void) => void
  readonly #surroundings: StorageContext
  readonly #transactions: Transactions
  readonly #listeners = new Set<() => void>()
  readonly #watchers = new Set<TopicListener>()
  /** Topics touched since the watchers were last called. Undefined until the first watcher is added. */
  #touched: Set<Topic> | undefined
  #queue: QueuedWrite[] = []
  #isScheduled = false
  #isClosed = false
  #isErasing = false
  #hold: object | undefined
  #eraseLater: Timer | undefined

  constructor(database: Database, nextTurn: (run: () => void) => void, surroundings: Partial<StorageContext> = {}) {
    const { clock = systemClock, log = silentLog } = surroundings
    this.#database = database
    this.#surroundings = { clock, log }
    this.#transactions = new Transactions(database, this.#surroundings)
    this.#nextTurn = run => nextTurn(guarded(run, { what: 'deferred work failed', log }))
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#read(() => this.#database.get<Row>(sql, ...values))
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#read(() => this.#database.all<Row>(sql, ...values))
  }

  /**
   * Only for temporary tables of a reader. They are in memory, so nothing is promised and nothing is lost, and a
   * rollback of an open transaction also undoes what was written to them.
   */
  inMemory<T>(work: (database: Database) => T): T {
    return this.#read(() => work(this.#database))
  }

  /** Changes are applied in the order of these calls. A change that throws does not affect the others. */
  write<T>(change: DatabaseChange<T>, durability: Durability = 'durable'): Promise<T> {
    if (this.#isClosed) return Promise.reject(new CodedError('stopping'))
    const wait = new Deferred<T>()
    this.#queue.push({ change, durability, wait })
    if (!this.#isScheduled) {
      this.#isScheduled = true
      this.#nextTurn(() => this.flush())
    }
    return wait.promise
  }

  /** Resolves when everything queued before this call can be read. */
  async caughtUp(): Promise<void> {
    if (this.#queue.length > 0) await this.write(() => undefined, 'deferred')
  }

  /**
   * A deferred write. The returned function resolves when it is on disk:
   * immediately if another write has already committed it.
   */
  async defer(change: DatabaseChange<unknown>): Promise<() => Promise<void>> {
    let commits = 0
    await this.write(database => {
      change(database)
      commits = this.#transactions.commits
    }, 'deferred')
    return async () => {
      if (commits === this.#transactions.commits) await this.write(() => undefined)
    }
  }

  /** Resolves when all deferred changes that can be read are on disk: immediately if there are none. */
  async durable(): Promise<void> {
    if (this.#transactions.hasDeferred) await this.write(() => undefined)
  }

  /** Runs when the present turn is over and its writes are in progress. */
  afterTurn(run: () => void): void {
    this.#nextTurn(run)
  }

  /** Called when the written data can be read. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called after each write with the topics that it has touched. Nothing is noted before the first listener. */
  onChange(listener: TopicListener): () => void {
    if (!this.#touched) {
      noteTopics(this.#database)
      this.#touched = new Set()
    }
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  /** For a topic that a view shows and no commit touches. Listeners are called when the present turn is over. */
  touch(topic: Topic): void {
    if (!this.#touched) return
    this.#touched.add(topic)
    this.#nextTurn(() => this.#tellTouched())
  }

  flush(): void {
    this.#isScheduled = false
    const batch = this.#queue
    this.#queue = []
    if (batch.length === 0) return
    const outcomes = this.#applyTogether(batch) ?? this.#applyOneByOne(batch)
    for (const { waiting, value } of outcomes) waiting.wait.resolve(value as never)
    if (outcomes.length > 0) this.#tell()
  }

  /**
   * Deleted data is still in the write-ahead log: writes the log back and empties it, soon and once for many calls. A
   * failure is retried. Also call this at the start, because a failure may last until then.
   */
  eraseTraces(): void {
    if (this.#isErasing) return
    this.#isErasing = true
    this.#nextTurn(() => {
      this.#isErasing = false
      if (this.#isClosed) return
      this.flush()
      this.#emptyLog()
    })
  }

  /** Gives free pages back to the disk, in transactions of bounded length. */
  async giveBack(): Promise<void> {
    const isDue = () => this.#read(() => hasMuchFree(pagesOf(this.#database)))
    if (!isDue()) return
    while (isDue() && (await this.write(database => giveBackPages(pagesOf(database)), 'recorded')));
    // The file becomes shorter only when its log is written back.
    this.eraseTraces()
  }

  /**
   * Freezes the database's own file, with everything that was written, until the returned function is called: for a
   * copy. Writes continue into the log alone, and a power cut loses no more than usual. Deleted data stays in that log
   * until the release, and in the copy as long as the copy exists. Throws when the disk cannot be written.
   */
  hold(): () => void {
    this.#assertOpen()
    if (this.#hold) throw new CodedError('backup-running')
    this.flush()
    try {
      this.#transactions.commitDeferred()
      this.#database.emptyLog()
      this.#database.exec('PRAGMA wal_autocheckpoint = 0')
      this.#database.hold?.(true)
    } catch (error) {
      throw systemFault(error)
    }
    const hold = {}
    this.#hold = hold
    return () => {
      // This hold may be over already: the current one then belongs to another caller.
      if (this.#hold === hold && !this.#isClosed) this.#release()
    }
  }

  /** Describes the damage of the database. Undefined if there is none. Reads the whole file. */
  findDamage(): string | undefined {
    this.flush()
    return this.#read(() => {
      this.#transactions.commitDeferred()
      return this.#database.findDamage()
    })
  }

  close(): void {
    this.#eraseLater?.cancel()
    this.flush()
    this.#transactions.close()
    this.#isClosed = true
    this.#database.close()
  }

  #release(): void {
    this.#hold = undefined
    this.#database.hold?.(false)
    this.#database.exec(`PRAGMA wal_autocheckpoint = ${databaseLimits.logPagesMax}`)
    // A log that has grown would keep its length, and deleted data is still in it.
    this.eraseTraces()
  }

  #emptyLog(): void {
    // The file is being copied: a write would make the copy a mix of two states.
    if (this.#hold) return
    const { clock, log } = this.#surroundings
    try {
      this.#transactions.commitDeferred()
      this.#database.emptyLog()
      this.#eraseLater?.cancel()
      this.#eraseLater = undefined
    } catch (error) {
      // Logged once per fault: further tries add nothing new.
      const what = 'deleted data still in the database log; will be erased when the disk is writable'
      if (!this.#eraseLater) logFault(systemFault(error), { what, log })
      this.#eraseLater?.cancel()
      this.#eraseLater = clock.setTimer(clientLimits.eraseRetryMs, () => this.eraseTraces())
    }
  }

  /** A listener that throws does not keep the others from being called. */
  #tell(): void {
    const { log } = this.#surroundings
    for (const listener of this.#listeners) guarded(listener, { what: 'commit listener failed', log })()
    this.#tellTouched()
  }

  #tellTouched(): void {
    const { log } = this.#surroundings
    if (this.#isClosed || !this.#touched || this.#touched.size === 0) return
    const topics = this.#touched
    this.#touched = new Set()
    for (const watcher of this.#watchers) guarded(() => watcher(topics), { what: 'change watcher failed', log })()
  }

  #read<T>(read: () => T): T {
    this.#assertOpen()
    try {
      return read()
    } catch (error) {
      throw systemFault(error)
    }
  }

  /** A caller that is still at work when the program stops gets `stopping`, not an error of SQLite. */
  #assertOpen(): void {
    if (this.#isClosed) throw new CodedError('stopping')
  }

  #applyTogether(batch: QueuedWrite[]): WriteOutcome[] | undefined {
    try {
      return this.#apply(batch)
    } catch (error) {
      if (batch.length > 1) return undefined
      batch[0]?.wait.reject(systemFault(error))
      return []
    }
  }

  #applyOneByOne(batch: QueuedWrite[]): WriteOutcome[] {
    return batch.flatMap(waiting => this.#applyTogether([waiting]) ?? [])
  }

  #apply(batch: QueuedWrite[]): WriteOutcome[] {
    const changes = batch.map(waiting => waiting.change)
    // Repeated, because a rollback may have removed the tables of the first listener: then every write would fail.
    if (this.#touched) noteTopics(this.#database)
    let topics: Topic[] = []
    const values = this.#transactions.apply(changes, {
      durability: durabilityOf(batch),
      // Within the transaction: a rollback touches nothing.
      atEnd: database => {
        if (this.#touched) topics = collectTopics(database)
      },
    })
    for (const topic of topics) this.#touched?.add(topic)
    return batch.map((waiting, at) => ({ waiting, value: values[at] }))
  }
}

const durabilityOf = (batch: QueuedWrite[]): Durability =>
  (['durable', 'recorded'] as const).find(it => batch.some(({ durability }) => durability === it)) ?? 'deferred'
