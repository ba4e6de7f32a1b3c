// What has to be different in a shared database that was restored from a backup, before the first relay starts on it again.
import { backupLimits } from '@postern/protocol'
import { openPostgres, placeOf } from '../connection/open-postgres.ts'
import { keepRelaysOut } from '../connection/relay-claim.ts'
import { migrate } from '../schema/migrate.ts'
import { PARTITION_BITS } from '../schema/partition-tables.ts'

/**
 * Positions that were given out after the backup are not given out again: a client that has read up to one of them would pass
 * over as many new messages. And it is another incarnation: clients know by that what they have to say anew. Throws
 * `database-in-use` while a relay is connected, which would go on giving out what it has in memory.
 */
export async function prepareRestoredDatabase(address: string): Promise<void> {
  const database = await openPostgres(address)
  try {
    await migrate(database, placeOf(address))
    await database.transaction(async tx => {
      const refusal = await keepRelaysOut(tx, { place: placeOf(address), until: 'commit' })
      if (refusal) throw refusal
      await tx.run('UPDATE head SET pos = pos + $1', [backupLimits.positionsSkipped])
      await tx.rows(`SELECT make_partition(pos >> ${PARTITION_BITS}) FROM head`)
      await tx.run("UPDATE incarnation SET id = decode(replace(gen_random_uuid()::text, '-', ''), 'hex')")
    })
  } finally {
    await database.close()
  }
}
