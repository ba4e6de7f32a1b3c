// Prepares a shared database that was restored from a backup, before the first relay starts on it again.
import { backupLimits, type Clock, type CodedError, moveLimits, pause } from '@postern/protocol'
import { openPostgres, placeOf } from '../connection/open-postgres.ts'
import type { Queries } from '../connection/queries.ts'
import { keepRelaysOut } from '../connection/relay-claim.ts'
import { migrate } from '../schema/migrate.ts'
import { PARTITION_BITS } from '../schema/partition-tables.ts'

/**
 * Skips positions that were assigned after the backup: a client that has read up to one of them would miss as many new
 * messages. Also begins a new incarnation, which tells clients to resend their state. Waits for a relay that has just
 * ended. Throws `database-in-use` while a relay is connected, which would continue to assign positions from its memory.
 */
export async function prepareRestoredDatabase(address: string, clock: Clock): Promise<void> {
  const place = placeOf(address)
  const database = await openPostgres(address)
  try {
    await migrate(database, place)
    for (let looks = 1; ; looks++) {
      const refusal = await database.transaction(tx => beginAnew(tx, place))
      if (!refusal) return
      if (looks === moveLimits.relayLooks) throw refusal
      await pause(clock, moveLimits.relayLookEveryMs, new AbortController().signal)
    }
  } finally {
    await database.close()
  }
}

async function beginAnew(tx: Queries, place: string): Promise<CodedError | undefined> {
  const refusal = await keepRelaysOut(tx, { place, until: 'commit' })
  if (refusal) return refusal
  await tx.run('UPDATE head SET pos = pos + $1', [backupLimits.positionsSkipped])
  await tx.rows(`SELECT make_partition(pos >> ${PARTITION_BITS}) FROM head`)
  await tx.run("UPDATE incarnation SET id = decode(replace(gen_random_uuid()::text, '-', ''), 'hex')")
  return undefined
}
