// `postern relay restored`:
// run once after a shared database was restored from a backup, before relays start on it again.
import { parseArgs } from 'node:util'
import { type Clock, CodedError, type Env, systemClock } from '@postern/protocol'
import { RELAY_DATABASE, withRelaySecrets } from '../config/secrets.ts'
import { databaseAddress } from '../store/postgres/connection/address.ts'
import { prepareRestoredDatabase } from '../store/postgres/tools/restored-database.ts'

/** Returns the line to print. Throws `bad-field`, `database-…`. */
export async function markRestored(argv: readonly string[], env: Env, clock: Clock = systemClock): Promise<string> {
  const database = databaseAddress(givenIn(argv) ?? (withRelaySecrets(env)[RELAY_DATABASE] || undefined))
  if (database === undefined) {
    const rule = 'must name the PostgreSQL database that was restored. For a relay without one, use postern restore'
    throw new CodedError('bad-field', { field: '--database', rule })
  }
  await prepareRestoredDatabase(database, clock)
  return 'The relay has a new incarnation. Start the relays.'
}

function givenIn(argv: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...argv], options: { database: { type: 'string' } } }).values.database
  } catch (cause) {
    const [said] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new CodedError('bad-field', {}, { cause, message: said ?? 'The arguments are not valid.' })
  }
}
