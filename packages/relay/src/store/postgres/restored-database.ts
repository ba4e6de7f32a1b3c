// What has to be different in a shared database that was restored from a backup, before the first relay starts on it again.
import { backupLimits, CodedError } from '@postern/protocol'
import { migrate } from './migrate.ts'
import { openPostgres, placeOf } from './open-postgres.ts'
import { PARTITION_BITS } from './partition-tables.ts'
import type { Queries } from './queries.ts'

/**
 * Positions that were given out after the backup are not given out again: a client that has read up to one of them would pass
 * over as many new messages. And it is another incarnation: clients know by that what they have to say anew. Throws
 * `database-in-use` while a relay is connected, which would go on giving out what it has in memory.
 */
export async function prepareRestoredDatabase(address: string): Promise<void> {
  const database = await openPostgres(address)
  try {
    await migrate(database, placeOf(address))
    await assertUnused(database, placeOf(address))
    await database.transaction(async tx => {
      await tx.run('UPDATE head SET pos = pos + $1', [backupLimits.positionsSkipped])
      await tx.rows(`SELECT make_partition(pos >> ${PARTITION_BITS}) FROM head`)
      await tx.run("UPDATE incarnation SET id = decode(replace(gen_random_uuid()::text, '-', ''), 'hex')")
    })
  } finally {
    await database.close()
  }
}

/** By the lines that relays keep open for hints: every one has one, and this has none. */
async function assertUnused(database: Queries, place: string): Promise<void> {
  const row = await database.one<{ relays: number }>(
    `SELECT count(*) AS relays FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'postern-relay' AND query LIKE 'LISTEN %'`,
  )
  if ((row?.relays ?? 0) > 0) throw new CodedError('database-in-use', { place })
}
