// The invites of relays that share a database, for a command that runs beside them: there need be none of them on its machine.
import { relayLimits } from '../../limits/relay-limits.ts'
import type { InviteShelf } from '../invite-shelf.ts'
import { PgInviteRows } from './invite-rows.ts'
import { migrate } from './migrate.ts'
import { openPostgres, placeOf } from './open-postgres.ts'

/** Throws `database-…` when it cannot be used. Makes the tables where no relay was started yet. */
export async function withInvitesIn<T>(address: string, work: (shelf: InviteShelf) => Promise<T>): Promise<T> {
  const database = await openPostgres(address)
  try {
    await migrate(database, placeOf(address))
    return await work(new PgInviteRows(database, relayLimits()))
  } finally {
    await database.close()
  }
}
