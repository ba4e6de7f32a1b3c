// Assembles the parts of a PostgreSQL store.
import { silentLog } from '@postern/protocol'
import type { StoreOptions } from '../relay-store.ts'
import { AccountLock } from './accounts/account-lock.ts'
import { AccountNumbers } from './accounts/account-numbers.ts'
import { PgAccountRows } from './accounts/account-rows.ts'
import { DayBytesRows } from './accounts/day-bytes.ts'
import { DayReserves } from './accounts/day-reserves.ts'
import { PgDeviceRows } from './accounts/device-rows.ts'
import { PgInviteRows } from './accounts/invite-rows.ts'
import { PgKeyPackageRows } from './accounts/key-package-rows.ts'
import { PgProfileRows } from './accounts/profile-rows.ts'
import { PgBlobPartRows } from './blobs/blob-part-rows.ts'
import { PgBlobRows } from './blobs/blob-rows.ts'
import type { Postgres } from './connection/database.ts'
import { Hints } from './connection/hints.ts'
import { PgGroupRows } from './groups/group-rows.ts'
import { Rosters } from './groups/locked-groups.ts'
import { LogLane } from './log/log-lane.ts'
import { Acknowledgements } from './mailboxes/acknowledgements.ts'
import { EntryCache } from './mailboxes/entry-cache.ts'
import { FanOut } from './mailboxes/fan-out.ts'
import { HintListener } from './mailboxes/hint-listener.ts'
import { PgMailboxFill } from './mailboxes/mailbox-fill.ts'
import { PgMailboxRows } from './mailboxes/mailbox-rows.ts'
import { PgPushRows } from './push/push-rows.ts'
import { PgDeletedRows } from './retention/deleted-rows.ts'
import { PgPartitions } from './retention/partitions.ts'
import { PgRetentionRows } from './retention/retention-rows.ts'
import { PgSweep } from './retention/sweep.ts'
import { Sweeper } from './retention/sweeper.ts'

export type PostgresParts = ReturnType<typeof partsOf>

export function partsOf(database: Postgres, options: StoreOptions) {
  const { limits } = options
  const log = options.log ?? silentLog
  const numbers = new AccountNumbers(database, limits.accountsCachedMax)
  const dayBytes = new DayBytesRows(limits)
  const hints = new Hints()
  const invites = new PgInviteRows(database, limits)
  const turns = new AccountLock(database, numbers)
  const keyPackages = new PgKeyPackageRows(database, { numbers, turns, dayBytes, limits })
  const entries = new EntryCache(limits.recentEntriesBytesMax)
  const fanOut = new FanOut(database, { numbers, hints, wake: options.wake, clock: options.clock, log })
  const acknowledgements = new Acknowledgements(database, { limits, clock: options.clock })
  const deleted = new PgDeletedRows(database, { numbers, turns, hints, limits })
  return {
    database,
    limits,
    deleted,
    numbers,
    hints,
    invites,
    keyPackages,
    fanOut,
    acknowledgements,
    accounts: new PgAccountRows(database, { numbers, turns, invites, hints, limits }),
    devices: new PgDeviceRows(database, hints),
    profiles: new PgProfileRows(database, { turns, dayBytes }),
    blobs: new PgBlobRows(database, { numbers, limits }),
    blobParts: new PgBlobPartRows(database),
    groups: new PgGroupRows(database, numbers),
    push: new PgPushRows(database, { turns, hints }),
    retention: new PgRetentionRows(database, options),
    sweep: new PgSweep(database, {
      partitions: new PgPartitions(database, limits),
      keyPackages,
      invites,
      deleted,
      limits,
      clock: options.clock,
    }),
    sweeper: new Sweeper(database),
    mailboxes: new PgMailboxRows(database, { numbers, entries, clock: options.clock, log }),
    lane: new LogLane(database, {
      numbers,
      entries,
      fanOut,
      acknowledgements,
      limits,
      rosters: new Rosters(limits.groupMembersCachedMax),
      fill: new PgMailboxFill(limits),
      reserves: new DayReserves(limits.accountsCachedMax),
      hints,
      pushSignals: options.pushSignals,
      clock: options.clock,
      observe: options.observe,
    }),
    listener: new HintListener(database, { hints, options, fanOut, numbers, log }),
  }
}
