// Assembles the parts of a SQLite store.
import type { StoreOptions } from '../relay-store.ts'
import { AccountRows } from './accounts/account-rows.ts'
import { ContactRows } from './accounts/contact-rows.ts'
import { DayBytes } from './accounts/day-bytes.ts'
import { InviteRows } from './accounts/invite-rows.ts'
import { KeyPackageRows } from './accounts/key-package-rows.ts'
import { ProfileRows } from './accounts/profile-rows.ts'
import { BlobPartRows } from './blobs/blob-part-rows.ts'
import { BlobRows } from './blobs/blob-rows.ts'
import { pagesOf, type Sqlite } from './database.ts'
import { DatabaseRoom } from './database-room.ts'
import type { CommitHooks } from './group-commit.ts'
import { ContinuationRows } from './groups/continuation-rows.ts'
import { GroupRows } from './groups/group-rows.ts'
import type { LogParts } from './log/log-parts.ts'
import { EntryRows } from './mailboxes/entry-rows.ts'
import { MailboxFill } from './mailboxes/mailbox-fill.ts'
import { MailboxRows } from './mailboxes/mailbox-rows.ts'
import { MailboxTails } from './mailboxes/mailbox-tails.ts'
import { RecentEntries } from './mailboxes/recent-entries.ts'
import { AttentionRows } from './push/attention-rows.ts'
import { DueRows } from './push/due-rows.ts'
import { PushRows } from './push/push-rows.ts'
import { DeletedRows } from './retention/deleted-rows.ts'
import { RetentionRows } from './retention/retention-rows.ts'
import { Sweep } from './retention/sweep.ts'

export type SqliteParts = {
  log: LogParts
  profiles: ProfileRows
  keyPackages: KeyPackageRows
  blobs: BlobRows
  blobParts: BlobPartRows
  invites: InviteRows
  push: PushRows
  due: DueRows
  retention: RetentionRows
  deleted: DeletedRows
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
  const deleted = new DeletedRows(db, { accounts, groups, limits })
  const attention = new AttentionRows(db)
  return {
    log: { accounts, groups, contacts, continuations, entries, mailboxes, dayBytes, fill, attention },
    profiles: new ProfileRows(db, { accounts, dayBytes }),
    keyPackages,
    blobs: new BlobRows(db, { accounts, limits, room, parts: blobParts }),
    blobParts,
    invites,
    push: new PushRows(db, { accounts, room }),
    due: new DueRows(db),
    retention,
    deleted,
    sweep: new Sweep({
      pages: pagesOf(db),
      entries,
      mailboxes,
      retention,
      groups,
      keyPackages,
      continuations,
      invites,
      contacts,
      deleted,
      attention,
      limits,
    }),
  }
}

type Told = Pick<StoreOptions, 'wake' | 'pushSignals'>

/** Parts with state in memory follow the transactions. */
export function commitHooks({ log, sweep }: SqliteParts, { wake, pushSignals }: Told): CommitHooks {
  const { accounts, groups, entries, mailboxes, dayBytes, attention } = log
  return {
    beforeCommit: () => {
      groups.writeChanged()
      mailboxes.writeAcknowledged()
    },
    committed: () => {
      entries.committed()
      mailboxes.committed()
      attention.committed()
    },
    rolledBack: () => {
      accounts.forget()
      dayBytes.forget()
      groups.forget()
      entries.forget()
      sweep.forget()
      mailboxes.rolledBack()
      attention.rolledBack()
    },
    durable: () => {
      wake.notify(mailboxes.drainGrown())
      pushSignals?.marked(attention.drainMarked())
    },
  }
}
