// Finds the entries of a page that continue the mailbox.
// Positions have holes, so only the page itself can say what it follows.
import type { Delivery, MailboxEntry } from '@postern/protocol/relay'

/**
 * The entries after `reached`, in rising order. Repeated entries are left out, because they do no harm. Undefined if
 * the page begins after `reached`, or a later entry comes before an earlier one: entries are missing.
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
