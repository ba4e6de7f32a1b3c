// `postern relay restored`: said once, after a shared database was restored from a backup and before relays start on it again.
import { parseArgs } from 'node:util'
import { CodedError } from '@postern/protocol'
import { databaseAddress } from './store/postgres/address.ts'
import { prepareRestoredDatabase } from './store/postgres/restored-database.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Gives what is printed. Throws `bad-field`, `database-…`. */
export async function noteRestored(argv: readonly string[], env: Environment): Promise<string> {
  const database = databaseAddress(givenIn(argv) ?? (env['POSTERN_RELAY_DATABASE'] || undefined))
  if (database === undefined) {
    const rule = 'name the PostgreSQL that was restored; a relay without one is restored by postern restore'
    throw new CodedError('bad-field', { field: '--database', rule })
  }
  await prepareRestoredDatabase(database)
  return 'This is another life of the relay from now on: start the relays.'
}

function givenIn(argv: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...argv], options: { database: { type: 'string' } } }).values.database
  } catch (cause) {
    const [said] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new CodedError('bad-field', {}, { cause, message: said ?? 'The arguments are not understood.' })
  }
}
