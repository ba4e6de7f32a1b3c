// `postern relay move`: moves the rows of a stopped relay to another store and leaves everything else unchanged.
import { parseArgs } from 'node:util'
import { CodedError, type Env, systemClock } from '@postern/protocol'
import type { ProgressOutput } from '@postern/protocol/node'
import { databaseAddress } from '../store/postgres/connection/address.ts'
import { placeOf } from '../store/postgres/connection/open-postgres.ts'

type MoveSurroundings = { env: Env; output: ProgressOutput }

const wrong = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })

/** Returns the line to print at the end. Throws `bad-field` and `database-…`; the relay then stays where it was. */
export async function runMove(argv: readonly string[], { env, output }: MoveSurroundings): Promise<string> {
  const given = readArguments(argv)
  const directory = given.data ?? env['POSTERN_RELAY_DATA']
  if (!directory) throw wrong('--data', "must name the relay's data directory")
  const address = addressIn('--to', given.to) ?? addressIn('--from', given.from)
  if (address === undefined || (given.to !== undefined && given.from !== undefined))
    throw wrong('--to', 'must name the PostgreSQL database that receives the rows. To move them back, use --from')
  const moving = { directory, address, output, clock: systemClock }
  if (given.to !== undefined) {
    // Load the code only when needed: other commands do not use it.
    const { moveToPostgres } = await import('../move/move-to-postgres.ts')
    const rows = await moveToPostgres(moving)
    return `Moved ${rows} rows to ${placeOf(address)}. Start the relay with --database, and with --data ${directory} as before: its blobs are there.`
  }
  const { moveToSqlite } = await import('../move/move-to-sqlite.ts')
  const rows = await moveToSqlite(moving)
  return `Moved ${rows} rows to ${directory}. Start the relay there, without --database.`
}

function addressIn(field: string, text: string | undefined): string | undefined {
  try {
    return databaseAddress(text)
  } catch (cause) {
    throw new CodedError(
      'bad-field',
      { field, rule: 'must name a PostgreSQL database, as in postgres://user@host/name' },
      { cause },
    )
  }
}

function readArguments(argv: readonly string[]) {
  try {
    const option = { type: 'string' } as const
    return parseArgs({ args: [...argv], options: { data: option, to: option, from: option } }).values
  } catch (cause) {
    const [said] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new CodedError('bad-field', {}, { cause, message: said ?? 'The arguments are not valid.' })
  }
}
