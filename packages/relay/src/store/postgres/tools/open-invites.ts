// The invites of relays that share a database, for a command that runs beside them, possibly on another machine.
import { relayLimits } from '../../../limits/relay-limits.ts'
import type { InviteStore } from '../../invite-store.ts'
import { PgInviteRows } from '../accounts/invite-rows.ts'
import { openPostgres, placeOf } from '../connection/open-postgres.ts'
import { migrate } from '../schema/migrate.ts'

/** Throws `database-…` if the database cannot be used. Creates the tables if no relay was started yet. */
export async function withInvitesIn<T>(address: string, work: (shelf: InviteStore) => Promise<T>): Promise<T> {
  const database = await openPostgres(address)
  try {
    await migrate(database, placeOf(address))
    return await work(new PgInviteRows(database, relayLimits()))
  } finally {
    await database.close()
  }
}
