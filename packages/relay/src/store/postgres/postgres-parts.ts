// All that a store on PostgreSQL is made of, put together.
import { silentLog } from '@postern/protocol'
import type { StoreOptions } from '../relay-store.ts'
import { AccountNumbers } from './account-numbers.ts'
import { PgAccountRows } from './account-rows.ts'
import { AccountTurns } from './account-turns.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { PgBlobPartRows } from './blob-part-rows.ts'
import { PgBlobRows } from './blob-rows.ts'
import type { Postgres } from './database.ts'
import { DayBytesRows } from './day-bytes.ts'
import { PgDeviceRows } from './device-rows.ts'
import { EntryCache } from './entry-cache.ts'
import { FanOut } from './fan-out.ts'
import { PgGroupRows } from './group-rows.ts'
import { HintListener } from './hint-listener.ts'
import { Hints } from './hints.ts'
import { PgInviteRows } from './invite-rows.ts'
import { PgKeyPackageRows } from './key-package-rows.ts'
import { Rosters } from './locked-groups.ts'
import { LogLane } from './log-lane.ts'
import { PgMailboxFill } from './mailbox-fill.ts'
import { PgMailboxRows } from './mailbox-rows.ts'
import { PgPartitions } from './partitions.ts'
import { PgProfileRows } from './profile-rows.ts'
import { PgRetentionRows } from './retention-rows.ts'
import { PgSweep } from './sweep.ts'
import { Sweeper } from './sweeper.ts'

export type PostgresParts = ReturnType<typeof partsOf>

export function partsOf(database: Postgres, options: StoreOptions) {
  const { limits } = options
  const log = options.log ?? silentLog
  const numbers = new AccountNumbers(database, limits.accountsCachedMax)
  const dayBytes = new DayBytesRows(limits)
  const hints = new Hints()
  const invites = new PgInviteRows(database, limits)
  const turns = new AccountTurns(database, numbers)
  const keyPackages = new PgKeyPackageRows(database, { numbers, turns, dayBytes, limits })
  const entries = new EntryCache(limits.recentEntriesBytesMax)
  const fanOut = new FanOut(database, { numbers, hints, wake: options.wake, clock: options.clock, log })
  const acknowledgements = new Acknowledgements(database, { limits, clock: options.clock })
  return {
    database,
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
    retention: new PgRetentionRows(database, options),
    sweep: new PgSweep(database, { partitions: new PgPartitions(database, limits), keyPackages, invites, limits }),
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
      clock: options.clock,
      observe: options.observe,
    }),
    listener: new HintListener(database, { hints, options, fanOut, log }),
  }
}
