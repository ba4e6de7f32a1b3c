// What is done once for many changes of a transaction: put off by each of them, and done before it ends.
import type { Database } from '../database.ts'

type DeferredWork = Map<string, () => void>

/** By the database whose transaction it is. */
const waiting = new WeakMap<Database, DeferredWork>()

/** Asked for again under the same key it is done once, in the place of the last. */
export function deferToCommit(database: Database, key: string, work: () => void): void {
  const works: DeferredWork = waiting.get(database) ?? new Map()
  waiting.set(database, works)
  works.delete(key)
  works.set(key, work)
}

/** Now: at the end of a transaction, and before what must stand behind it. */
export function runDeferred(database: Database): void {
  const works = waiting.get(database)
  if (!works) return
  // First: what is done now asks for it, too.
  waiting.delete(database)
  for (const work of works.values()) work()
}

/** What is rolled back has nothing to do. */
export function dropDeferred(database: Database): void {
  waiting.delete(database)
}
