// Which entries of a page continue the mailbox. Positions have holes, so only the page itself can say what it follows.
import type { Delivery, MailboxEntry } from '@postern/protocol/relay'

/**
 * The entries behind `reached`, in rising order. Entries that came before are left out: a repetition does no harm. Undefined
 * where the page begins behind `reached`, or where a later entry stands before an earlier one: entries are missing.
 */
export function newEntries({ after, entries }: Delivery, reached: number): MailboxEntry[] | undefined {
  if (after !== undefined && after > reached) return undefined
  const found: MailboxEntry[] = []
  const known = new Set<number>()
  for (const entry of entries) {
    if (entry.cursor <= reached || known.has(entry.cursor)) continue
    if (entry.cursor < (found.at(-1)?.cursor ?? reached)) return undefined
    found.push(entry)
    known.add(entry.cursor)
  }
  return found
}
