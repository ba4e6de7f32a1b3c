// The data directory of an account, for backups: frozen while it is copied, and checked afterwards.
import { type AccountId, systemFault } from '@postern/protocol'
import { accountIdIn } from '../identity/account.ts'
import {
  DATABASE_FILE,
  KEY_FILE,
  knownSchema,
  openFirstPage,
  openUnchanged,
} from '../storage/directory/data-directory-node.ts'
import { earlySteps } from '../storage/schema/early-schemas.ts'
import { refuseTooOld, schemaOf } from '../storage/schema/migrations.ts'
import { assertIntegrity } from '../storage/sqlite/integrity.ts'

/** The files of the directory that cannot be obtained from elsewhere. */
export const accountFiles = { database: DATABASE_FILE, key: KEY_FILE } as const

/** `account` is undefined if the first start has not come that far. */
export type StoredCopy = { schema: number; account: AccountId | undefined }

/**
 * For a directory that no process uses: everything that was written is in the database's own file, and no other process
 * opens it until this is closed. A caller that copies the file in this process closes its handle only afterwards:
 * closing any handle of a file drops its locks.
 */
export function lockStored(directory: string): { close(): void } {
  const database = openUnchanged(directory)
  try {
    database.emptyLog()
    return database
  } catch (error) {
    database.close()
    throw systemFault(error)
  }
}

/**
 * The version of the tables, from the first page alone. Throws `database-key-missing`, `database-key-wrong`,
 * `database-newer` and `database-too-old`. For a copy: opening the file of another process would drop the locks of that process.
 */
export function storedSchema(directory: string): number {
  const database = openFirstPage(directory)
  try {
    const schema = schemaOf(database, directory)
    refuseTooOld(schema, { directory, early: earlySteps })
    return schema
  } finally {
    database.close()
  }
}

/** Throws `database-damaged`, `database-key-wrong`, `database-newer`, `database-too-old`. Reads the whole file. */
export function checkStored(directory: string): StoredCopy {
  const database = openUnchanged(directory)
  try {
    const schema = knownSchema(database, directory)
    assertIntegrity(database)
    return { schema, account: accountIdIn(database) }
  } catch (error) {
    throw systemFault(error)
  } finally {
    database.close()
  }
}
