// The rows that a write to a group's log touches.
import type { AccountRows } from '../accounts/account-rows.ts'
import type { ContactRows } from '../accounts/contact-rows.ts'
import type { DayBytes } from '../accounts/day-bytes.ts'
import type { ContinuationRows } from '../groups/continuation-rows.ts'
import type { GroupRows } from '../groups/group-rows.ts'
import type { EntryRows } from '../mailboxes/entry-rows.ts'
import type { MailboxFill } from '../mailboxes/mailbox-fill.ts'
import type { MailboxRows } from '../mailboxes/mailbox-rows.ts'
import type { AttentionRows } from '../push/attention-rows.ts'

export type LogParts = {
  accounts: AccountRows
  contacts: ContactRows
  continuations: ContinuationRows
  groups: GroupRows
  entries: EntryRows
  mailboxes: MailboxRows
  dayBytes: DayBytes
  fill: MailboxFill
  attention: AttentionRows
}
