// The relay's directory as it lies, for backups: kept still while it is copied, looked at, and made ready where it is restored.
import { join } from 'node:path'
import { type BlobId, CodedError, systemFault } from '@postern/protocol'
import { checkedConnection, findDamage, looksDamaged } from '@postern/protocol/node'
import { BLOBS_NAME, DATABASE_NAME, INVITES_NAME } from '../../claim-directory.ts'
import { completeBlobsIn } from '../blobs/blob-rows.ts'
import { emptyLog, openUnchanged, type Sqlite, schemaOf } from '../database.ts'
import { skipPositions } from '../mailboxes/entry-rows.ts'
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
    throw storedFault(directory, error)
  }
}

/** Throws `database-damaged` and `database-newer`: reads all of it. */
export function checkStoredRelay(directory: string): StoredRelay {
  // First: a newer one may have another shape.
  const schema = within(directory, db => schemaOf(db, directory))
  const found = damageIn(directory)
  if (found !== undefined) throw damaged(new Error(found))
  return within(directory, db => {
    const incarnation = incarnationIn(db)
    return { schema, incarnation: incarnation ? Buffer.from(incarnation).toString('hex') : '' }
  })
}

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
    // The check opens the file alone.
    db.close()
    throw storedFault(directory, error)
  } finally {
    db.close()
  }
}

const damageIn = (directory: string): string | undefined =>
  findDamage(join(directory, DATABASE_NAME), () => checkedConnection(openUnchanged(directory)))

const damaged = (cause: unknown): CodedError => new CodedError('database-damaged', {}, { cause })

/** SQLite reports a failed read as damage, so the file is checked before anybody is sent to a backup. */
const storedFault = (directory: string, error: unknown): unknown =>
  looksDamaged(error) && damageIn(directory) !== undefined ? damaged(error) : systemFault(error)
