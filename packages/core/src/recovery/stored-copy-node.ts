// The directory of an account as it lies, for backups: kept still while it is copied, and looked at when it was.
import { type AccountId, systemFault } from '@postern/protocol'
import { accountIdIn } from '../identity/account.ts'
import { DATABASE_FILE, KEY_FILE, openUnchanged } from '../storage/directory/data-directory-node.ts'
import { schemaOf } from '../storage/schema/migrations.ts'
import { assertIntegrity } from '../storage/sqlite/integrity.ts'

/** What of the directory cannot be had again from elsewhere. */
export const accountFiles = { database: DATABASE_FILE, key: KEY_FILE } as const

/** `account` is undefined before the first start has come so far. */
export type StoredCopy = { schema: number; account: AccountId | undefined }

/**
 * Where nothing runs: all that was written stands in the database's own file, and nobody else opens it until this is closed.
 * Whoever copies it in this process closes the file only afterwards: to close any handle of a file drops its locks.
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

/** Throws `database-damaged`, `database-key-wrong`, `database-newer`: reads all of it. */
export function checkStored(directory: string): StoredCopy {
  const database = openUnchanged(directory)
  try {
    const schema = schemaOf(database, directory)
    assertIntegrity(database)
    return { schema, account: accountIdIn(database) }
  } catch (error) {
    throw systemFault(error)
  } finally {
    database.close()
  }
}
