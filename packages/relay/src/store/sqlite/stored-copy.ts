// The relay's directory as it lies, for backups: kept still while it is copied, looked at, and made ready where it is restored.
import { type BlobId, CodedError, systemFault } from '@postern/protocol'
import { BLOBS_NAME, DATABASE_NAME, INVITES_NAME } from '../data-directory.ts'
import { completeBlobsIn } from './blob-rows.ts'
import { emptyLog, openUnchanged, type Sqlite, schemaOf } from './database.ts'
import { skipPositions } from './entry-rows.ts'
import { beginIncarnation, incarnationIn } from './incarnation-rows.ts'

/** What of the directory cannot be had again from elsewhere. */
export const relayFiles = { database: DATABASE_NAME, blobs: BLOBS_NAME, invites: INVITES_NAME } as const

/** `incarnation` is empty in a database that is older than incarnations. */
export type StoredRelay = { schema: number; incarnation: string }
export type CompleteBlob = { blob: BlobId; bytes: number }

/**
 * Where nothing runs: all that was written stands in the database's own file, and nobody else opens it until this is closed.
 * Whoever copies it in this process closes the file only afterwards: to close any handle of a file drops its locks.
 */
export function lockStoredRelay(directory: string): { close(): void } {
  const db = openUnchanged(directory)
  try {
    emptyLog(db)
    return { close: () => void db.close() }
  } catch (error) {
    db.close()
    throw systemFault(error)
  }
}

/** Throws `database-damaged` and `database-newer`: reads all of it. */
export const checkStoredRelay = (directory: string): StoredRelay =>
  within(directory, db => {
    const schema = schemaOf(db, directory)
    const found = db.pragma('integrity_check(1)', { simple: true })
    if (found !== 'ok') throw new CodedError('database-damaged', {}, { cause: new Error(String(found)) })
    const incarnation = incarnationIn(db)
    return { schema, incarnation: incarnation ? Buffer.from(incarnation).toString('hex') : '' }
  })

/** Those alone: bytes without such a row are never swept. */
export function* completeBlobs(directory: string): Generator<CompleteBlob> {
  const db = openUnchanged(directory)
  try {
    yield* completeBlobsIn(db)
  } finally {
    db.close()
  }
}

/**
 * Positions that were given out after the backup are not given out again: a client that has read up to one of them would pass
 * over as many new messages. And it is another incarnation: clients know by that what they have to say anew.
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
    throw systemFault(error)
  } finally {
    db.close()
  }
}
