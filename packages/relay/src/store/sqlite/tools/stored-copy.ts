// The relay's directory on disk, for backups: locks it for a copy, checks it, and prepares a restored one.
import { join } from 'node:path'
import { type BlobId, CodedError, systemFault } from '@postern/protocol'
import { checkedConnection, findDamage, looksDamaged, unusable } from '@postern/protocol/node'
import { BLOBS_NAME, DATABASE_NAME, INVITES_NAME } from '../../claim-directory.ts'
import { completeBlobsIn } from '../blobs/blob-rows.ts'
import { emptyLog, openFirstPage, openUnchanged, type Sqlite, schemaOf, versionOf } from '../database.ts'
import { skipPositions } from '../mailboxes/entry-rows.ts'
import { beginIncarnation, incarnationIn } from './incarnation-rows.ts'

/** The files that cannot be recreated from elsewhere. */
export const relayFiles = { database: DATABASE_NAME, blobs: BLOBS_NAME, invites: INVITES_NAME } as const

/** `incarnation` is empty for a database from before incarnations. */
export type StoredRelay = { schema: number; incarnation: string }
export type CompleteBlob = { blob: BlobId; bytes: number }

/**
 * For a stopped relay: moves everything written into the database's own file and locks it until it is closed. A copy in
 * the same process must close its file handle afterwards: closing any handle of a file drops its locks.
 */
export function lockStoredRelay(directory: string): { close(): void } {
  const db = openUnchanged(directory)
  try {
    emptyLog(db)
    return { close: () => void db.close() }
  } catch (error) {
    db.close()
    throw storedFault(directory, error)
  }
}

/** The version of the tables, from the first page alone; for a copy. Throws `database-newer`. */
export function storedRelaySchema(directory: string): number {
  const db = openFirstPage(directory)
  try {
    return versionOf(db, directory)
  } catch (error) {
    throw unusable(directory, error)
  } finally {
    db.close()
  }
}

/** Reads the whole database. Throws `database-damaged` and `database-newer`. */
export function checkStoredRelay(directory: string): StoredRelay {
  // First: a newer database may have another structure.
  const schema = within(directory, db => schemaOf(db, directory))
  const found = damageIn(directory)
  if (found !== undefined) throw damaged(new Error(found))
  return within(directory, db => {
    const incarnation = incarnationIn(db)
    return { schema, incarnation: incarnation ? Buffer.from(incarnation).toString('hex') : '' }
  })
}

/** Only complete blobs: bytes without such a row would never be swept. */
export function* completeBlobs(directory: string): Generator<CompleteBlob> {
  const db = openUnchanged(directory)
  try {
    yield* completeBlobsIn(db)
  } finally {
    db.close()
  }
}

/**
 * Skips positions that were assigned after the backup: a client that has read up to one of them would miss as many new
 * messages. Also begins a new incarnation, which tells clients to resend their state.
 */
export const prepareRestoredRelay = (directory: string): void =>
  within(directory, db =>
    db.transaction(() => {
      skipPositions(db)
      beginIncarnation(db)
    })(),
  )

function within<T>(directory: string, work: (db: Sqlite) => T): T {
  const db = openUnchanged(directory)
  try {
    return work(db)
  } catch (error) {
    // Close first: the check needs the file exclusively.
    db.close()
    throw storedFault(directory, error)
  } finally {
    db.close()
  }
}

const damageIn = (directory: string): string | undefined =>
  findDamage(join(directory, DATABASE_NAME), () => checkedConnection(openUnchanged(directory)))

const damaged = (cause: unknown): CodedError => new CodedError('database-damaged', {}, { cause })

/** SQLite reports a failed read as damage, so the file is checked before an operator is asked to restore a backup. */
const storedFault = (directory: string, error: unknown): unknown =>
  looksDamaged(error) && damageIn(directory) !== undefined ? damaged(error) : systemFault(error)
