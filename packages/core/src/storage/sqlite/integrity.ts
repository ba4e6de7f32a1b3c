// Checks the integrity of a database: a copy of a file that was written to meanwhile opens, but is damaged in places.
import { CodedError } from '@postern/protocol'
import type { Database } from '../database.ts'

/** Throws `database-damaged`. Reads the whole file, so call it only with a reason to doubt it. */
export function assertIntegrity(database: Pick<Database, 'findDamage'>): void {
  const found = database.findDamage()
  if (found !== undefined) throw new CodedError('database-damaged', {}, { cause: new Error(found) })
}
