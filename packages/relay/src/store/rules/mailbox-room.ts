// How much a sender may leave in the mailbox of one account before it is looked through again; nothing when it is full.
import { type AccountId, relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import { rowBytes } from './costs.ts'

/** What waits unread for an account, and how much of that is of the one sender. */
export type UnreadTotals = { entries: number; bytes: number; ownEntries: number; ownBytes: number }

/**
 * A mailbox is full for who has more there than a sender may have; and, when it is full of others, for who has more than
 * a little.
 */
export function roomFor(waiting: UnreadTotals, limits: RelayLimits): number {
  const ownRoom = Math.min(
    limits.mailboxBytesPerSenderMax - waiting.ownBytes,
    (limits.mailboxEntriesPerSenderMax - waiting.ownEntries) * rowBytes.entry,
  )
  if (ownRoom <= 0) return 0
  const allRoom = Math.min(
    limits.mailboxBytesMax - waiting.bytes,
    (limits.mailboxEntriesMax - waiting.entries) * rowBytes.entry,
  )
  if (allRoom <= 0 && waiting.ownBytes >= relayFixedLimits.mailboxLookAfterBytes) return 0
  return Math.min(
    Math.max(Math.min(ownRoom, allRoom) / 2, relayFixedLimits.mailboxLookAfterBytes),
    relayFixedLimits.mailboxLookAfterBytesMax,
  )
}

export type MailboxRecipient = { num: number; id: AccountId }

/**
 * Whose mailbox an entry fills by its sender's doing alone: the other one of a group of two, or the first whom a commit
 * adds to its maker. In a larger group it is nobody's.
 */
export function soleReader(
  members: ReadonlyMap<number, AccountId>,
  { sender, added = [] }: { sender: number; added?: readonly MailboxRecipient[] },
): MailboxRecipient | undefined {
  if (members.size === 1 && added.length === 1) return added[0]
  if (members.size !== 2) return undefined
  for (const [num, id] of members) if (num !== sender) return { num, id }
  return undefined
}
