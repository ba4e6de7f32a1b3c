// Transactions: durable changes are committed immediately;
// deferred ones stay in an open transaction until the next commit.
import {
  type Clock,
  clientLimits,
  guarded,
  isCoded,
  type Log,
  LogThrottle,
  logFault,
  systemFault,
  type Timer,
} from '@postern/protocol'
import type { Database } from '../database.ts'
import { dropDeferred, runDeferred } from './before-commit.ts'
import { newestEventId } from './event-ids.ts'

export type DatabaseChange<T> = (database: Database) => T

/**
 * `durable` waits for the disk. `recorded` survives the process, but may be lost in a power failure. `deferred` can be
 * read immediately and is committed with the next durable or recorded change, or soon. Until then it is lost with the
 * process, and it may be applied again.
 * The last two are only for data that can be obtained again, such as the relay's answer to a message that is still in
 * the outbox. A change that emits an event is never deferred, whatever the caller asked for: an event that was handed
 * out cannot be taken back.
 */
export type Durability = 'durable' | 'recorded' | 'deferred'

/** The clock and the log of a store, for retries and faults. */
export type StorageContext = { clock: Clock; log: Log }

type Asked = { durability: Durability; atEnd: DatabaseChange<void> }

export class Transactions {
  readonly #database: Database
  readonly #surroundings: StorageContext
  readonly #faults: LogThrottle
  /** Applied in the open transaction, or to be applied again in the next one. */
  #deferred: DatabaseChange<unknown>[] = []
  #isOpen = false
  #commits = 0
  #timer: Timer | undefined

  constructor(database: Database, surroundings: StorageContext) {
    this.#database = database
    this.#surroundings = surroundings
    this.#faults = new LogThrottle(surroundings.clock, clientLimits.faultSaidEveryMs)
  }

  /** The number of commits so far. */
  get commits(): number {
    return this.#commits
  }

  get hasDeferred(): boolean {
    return this.#deferred.length > 0
  }

  /** Applies all of the changes or none. */
  apply<T>(changes: DatabaseChange<T>[], { durability, atEnd }: Asked): T[] {
    this.#begin(durability)
    try {
      const told = newestEventId(this.#database)
      const values = changes.map(change => change(this.#database))
      runDeferred(this.#database)
      atEnd(this.#database)
      if (durability === 'deferred' && newestEventId(this.#database) === told) this.#deferred.push(...changes)
      else this.#commit()
      return values
    } catch (error) {
      this.#undo()
      throw error
    } finally {
      if (this.hasDeferred) this.#commitLater(clientLimits.deferredMs)
    }
  }

  /** Makes deferred changes durable, unless it throws. */
  commitDeferred(): void {
    if (!this.hasDeferred) return
    this.#begin('durable')
    try {
      this.#commit()
    } catch (error) {
      this.#undo()
      throw error
    }
  }

  close(): void {
    this.#tryToCommit()
    this.#timer?.cancel()
  }

  #begin(durability: Durability): void {
    if (this.#isOpen) return
    // This cannot be changed within a transaction, and a durable change may join a deferred one.
    this.#database.waitForDisk(durability !== 'recorded' || this.hasDeferred)
    this.#database.exec('BEGIN IMMEDIATE')
    this.#isOpen = true
    this.#applyAgain()
  }

  #commit(): void {
    this.#database.exec('COMMIT')
    this.#isOpen = false
    this.#commits += 1
    this.#deferred = []
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Callers that saw deferred changes still read them: only the failed changes are gone. */
  #undo(): void {
    this.#rollBack()
    if (!this.hasDeferred) return
    try {
      this.#begin('deferred')
    } catch (error) {
      this.#say(error)
    }
  }

  #rollBack(): void {
    this.#isOpen = false
    dropDeferred(this.#database)
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // A full disk ends the transaction on its own, and then there is nothing left to roll back.
    }
  }

  #applyAgain(): void {
    const { log } = this.#surroundings
    const applied: DatabaseChange<unknown>[] = []
    for (const change of this.#deferred)
      try {
        change(this.#database)
        runDeferred(this.#database)
        applied.push(change)
      } catch (error) {
        const fault = systemFault(error)
        if (isCoded(fault)) {
          this.#rollBack()
          throw fault
        }
        // A change that no longer applies must not keep all later ones from being written.
        logFault(fault, { what: 'deferred changes not applied again', log })
      }
    this.#deferred = applied
  }

  #commitLater(afterMs: number): void {
    const { clock, log } = this.#surroundings
    const what = 'deferred changes not saved'
    this.#timer ??= clock.setTimer(
      afterMs,
      guarded(() => this.#tryToCommit(), { what, log }),
    )
  }

  #tryToCommit(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    try {
      this.commitDeferred()
    } catch (error) {
      this.#say(error)
      this.#commitLater(clientLimits.deferredRetryMs)
    }
  }

  #say(error: unknown): void {
    const { log } = this.#surroundings
    const what = 'deferred changes not saved; will retry'
    this.#faults.say(what, () => logFault(systemFault(error), { what, log }))
  }
}
