// Gives the free pages of a SQLite database back to the disk, a bounded number in each turn.
import { databaseLimits } from './limits.ts'

/** The part of a connection that this file uses. `count` reads the number that a PRAGMA answers with. */
export type PagedDatabase = { count(pragma: string): number; exec(sql: string): unknown }

/** To be called before the first page is written: SQLite cannot move the pages of other databases. */
export function beginShrinkable(database: PagedDatabase): void {
  // In a database that has pages the same statement would write, and a full disk would keep the program from starting.
  if (database.count('page_count') === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
}

/**
 * Rewrites a database of an older version that has much free space and little content, so that it can give pages back.
 * The rewriting is one transaction. To be called outside a transaction.
 */
export function makeShrinkable(database: PagedDatabase): void {
  if (database.count('auto_vacuum') !== 0 || !hasMuchFree(database)) return
  const pagesUsed = database.count('page_count') - database.count('freelist_count')
  if (pagesUsed * database.count('page_size') > databaseLimits.rewrittenBytesMax) return
  try {
    database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.exec('VACUUM')
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // A full disk must not keep the program from starting. The next start tries again.
  }
}

/** One turn, within a transaction. Returns whether there may be more to give back. The file becomes shorter at a checkpoint. */
export function giveBackPages(database: PagedDatabase): boolean {
  // While a backup copies the file the log cannot be written back: each page that moves would make the log longer.
  if (database.count('wal_autocheckpoint') === 0 || !hasMuchFree(database)) return false
  const free = database.count('freelist_count')
  const { pagesPerTurnMax, freePagesReadPerTurnMax } = databaseLimits
  // SQLite looks through the list of free pages for each page.
  const pages = Math.max(1, Math.min(pagesPerTurnMax, Math.floor(freePagesReadPerTurnMax / free)))
  // One by one: in a browser a statement that asks for several of them ends after the first.
  database.exec('PRAGMA incremental_vacuum(1);'.repeat(pages))
  return database.count('freelist_count') < free
}

/** Whether the file has more free space than it keeps for future data. */
export function hasMuchFree(database: PagedDatabase): boolean {
  const free = database.count('freelist_count')
  const { freeBytesMax, freeShareMax } = databaseLimits
  return free * database.count('page_size') > freeBytesMax && free > database.count('page_count') * freeShareMax
}
