// The rows that a write to a group's log touches.
import type { AccountRows } from './account-rows.ts'
import type { ContactRows } from './contact-rows.ts'
import type { ContinuationRows } from './continuation-rows.ts'
import type { DayBytes } from './day-bytes.ts'
import type { EntryRows } from './entry-rows.ts'
import type { GroupRows } from './group-rows.ts'
import type { MailboxFill } from './mailbox-fill.ts'
import type { MailboxRows } from './mailbox-rows.ts'

export type LogParts = {
  accounts: AccountRows
  contacts: ContactRows
  continuations: ContinuationRows
  groups: GroupRows
  entries: EntryRows
  mailboxes: MailboxRows
  dayBytes: DayBytes
  fill: MailboxFill
}
