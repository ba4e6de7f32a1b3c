// Work that is done once for many changes of a transaction:
// each change defers it, and it runs before the transaction ends.
import type { Database } from '../database.ts'

type DeferredWork = Map<string, () => void>

/** By the database of the transaction. */
const waiting = new WeakMap<Database, DeferredWork>()

/** Deferred again under the same key, the work runs once, at the later place. */
export function deferToCommit(database: Database, key: string, work: () => void): void {
  const works: DeferredWork = waiting.get(database) ?? new Map()
  waiting.set(database, works)
  works.delete(key)
  works.set(key, work)
}

/** Runs the work now: at the end of a transaction, and before changes that must come after it. */
export function runDeferred(database: Database): void {
  const works = waiting.get(database)
  if (!works) return
  // First, because the work may defer more work.
  waiting.delete(database)
  for (const work of works.values()) work()
}

/** A rollback leaves no work to do. */
export function dropDeferred(database: Database): void {
  waiting.delete(database)
}
