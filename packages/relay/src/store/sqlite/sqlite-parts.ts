// All that a store on SQLite is made of, put together.
import type { StoreOptions } from '../relay-store.ts'
import { AccountRows } from './account-rows.ts'
import { BlobPartRows } from './blob-part-rows.ts'
import { BlobRows } from './blob-rows.ts'
import { ContactRows } from './contact-rows.ts'
import { ContinuationRows } from './continuation-rows.ts'
import type { Sqlite } from './database.ts'
import { DatabaseRoom } from './database-room.ts'
import { DayBytes } from './day-bytes.ts'
import { EntryRows } from './entry-rows.ts'
import { GroupRows } from './group-rows.ts'
import { InviteRows } from './invite-rows.ts'
import { KeyPackageRows } from './key-package-rows.ts'
import type { LogParts } from './log-parts.ts'
import { MailboxFill } from './mailbox-fill.ts'
import { MailboxRows } from './mailbox-rows.ts'
import { MailboxTails } from './mailbox-tails.ts'
import { ProfileRows } from './profile-rows.ts'
import { RecentEntries } from './recent-entries.ts'
import { RetentionRows } from './retention-rows.ts'
import { Sweep } from './sweep.ts'

export type SqliteParts = {
  log: LogParts
  profiles: ProfileRows
  keyPackages: KeyPackageRows
  blobs: BlobRows
  blobParts: BlobPartRows
  invites: InviteRows
  retention: RetentionRows
  sweep: Sweep
}

export function sqlitePartsOf(db: Sqlite, { limits, disk }: Pick<StoreOptions, 'limits' | 'disk'>): SqliteParts {
  const invites = new InviteRows(db, limits)
  const room = new DatabaseRoom(db, { bytesMax: limits.databaseBytesMax, disk })
  const accounts = new AccountRows(db, { invites, limits, room })
  const dayBytes = new DayBytes({ accounts, limits, room })
  const continuations = new ContinuationRows(db, limits)
  const groups = new GroupRows(db, { accounts, continuations, limits })
  const contacts = new ContactRows(db, { accounts, limits })
  const recent = new RecentEntries(limits.recentEntriesBytesMax)
  const entries = new EntryRows(db, recent)
  const mailboxes = new MailboxRows(db, { accounts, recent, tails: new MailboxTails(limits.accountsCachedMax) })
  const fill = new MailboxFill(mailboxes, limits)
  const keyPackages = new KeyPackageRows(db, { accounts, dayBytes, limits })
  const retention = new RetentionRows(db, limits)
  const blobParts = new BlobPartRows(db, room)
  return {
    log: { accounts, groups, contacts, continuations, entries, mailboxes, dayBytes, fill },
    profiles: new ProfileRows(db, { accounts, dayBytes }),
    keyPackages,
    blobs: new BlobRows(db, { accounts, limits, room, parts: blobParts }),
    blobParts,
    invites,
    retention,
    sweep: new Sweep({ entries, mailboxes, retention, groups, keyPackages, continuations, invites, limits }),
  }
}
