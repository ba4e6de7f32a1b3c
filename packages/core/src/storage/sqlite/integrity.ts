// Whether a database is whole: a copy of a file that was written to meanwhile opens, and is damaged in places.
import { CodedError } from '@postern/protocol'
import type { Database } from '../database.ts'

/** Throws `database-damaged`. Reads all of it: for who has a reason to doubt it. */
export function assertIntegrity(database: Pick<Database, 'findDamage'>): void {
  const found = database.findDamage()
  if (found !== undefined) throw new CodedError('database-damaged', {}, { cause: new Error(found) })
}
