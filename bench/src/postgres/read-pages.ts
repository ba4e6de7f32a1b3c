// Mailboxes read in pages, from their beginning or from anywhere.
import type { AccountId } from '@postern/protocol'
import type { RelayStore } from '@postern/relay/store'

/** Of each of these, one page behind a cursor, or all pages to the end. */
export type Reading = { of: { account: AccountId; after: number }[]; entriesMax: number; pages: 'one' | 'all' }
export type Read = { entries: number; tookMs: number; pageMs: number[] }

const BYTES_MAX = 1 << 20

export async function readPages(store: RelayStore, { of, entriesMax, pages }: Reading): Promise<Read> {
  const bounds = { entriesMax, bytesMax: BYTES_MAX }
  const startedMs = performance.now()
  const read: Read = { entries: 0, tookMs: 0, pageMs: [] }
  for (const { account, after } of of) {
    let cursor = after
    for (let isMore = true; isMore; ) {
      const pageStartedMs = performance.now()
      const page = await store.readMailbox(account, cursor, bounds)
      read.pageMs.push(performance.now() - pageStartedMs)
      read.entries += page.entries.length
      cursor = page.entries.at(-1)?.cursor ?? cursor
      isMore = pages === 'all' && page.more
    }
  }
  read.tookMs = performance.now() - startedMs
  return read
}
