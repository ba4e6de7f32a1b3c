// How much a sender may leave in one account's mailbox before the mailbox is counted again; 0 if it is full.
import { type AccountId, relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import { rowBytes } from './costs.ts'

/** The unread entries of an account, and those of the one sender. */
export type UnreadTotals = { entries: number; bytes: number; ownEntries: number; ownBytes: number }

/**
 * A mailbox is full for a sender above the limit per sender. If others have filled it, it is full for a sender with
 * more than a little in it.
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
 * The account whose mailbox is filled by this sender alone: the other member of a group of two, or the first account
 * that a commit adds to its creator. In a larger group there is none.
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
