// The database's tables: those of the first released version, and numbered steps that are only ever added to.
import { CodedError } from '@postern/protocol'
import type { Database } from './database.ts'
import { firstChatTables } from './first-chat-tables.ts'
import { firstMessageTables } from './first-message-tables.ts'

/** What was before it was released to nobody. */
const FIRST = 15

/** From the first released version on, each to the next number. */
const steps: string[] = []

const NEWEST = FIRST + steps.length

/** The version of its tables, as it stands; 0 of a new one. Throws `database-newer` when this program does not know it. */
export function schemaOf(database: Database, directory: string): number {
  const version = database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
  if (version > NEWEST) throw new CodedError('database-newer', { directory })
  if (version !== 0 && version < FIRST) throw new CodedError('database-damaged', { directory })
  return version
}

export function migrate(database: Database, directory: string): void {
  const version = schemaOf(database, directory)
  // A new database gets everything at once: one by one, its first start waits for the disk at each of them.
  if (version === 0)
    return apply(database, { sql: [firstChatTables, firstMessageTables, ...steps].join(';'), version: NEWEST })
  for (const [at, sql] of steps.entries()) if (FIRST + at >= version) apply(database, { sql, version: FIRST + at + 1 })
}

function apply(database: Database, { sql, version }: { sql: string; version: number }): void {
  database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT`)
}
