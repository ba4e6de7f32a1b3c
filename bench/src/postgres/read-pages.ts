// Mailboxes read in pages, from their beginning or from anywhere.
import type { AccountId } from '@postern/protocol'
import type { RelayStore } from '@postern/relay/store'
import type { Talk } from './talks.ts'

/** For each of these, one page after a cursor, or all pages to the end. */
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

/** The sequence numbers of all entries of its group that wait for the listener. */
export async function seqsOf(store: RelayStore, { group, listener }: Talk): Promise<number[]> {
  const seqs: number[] = []
  const bounds = { entriesMax: 200, bytesMax: BYTES_MAX }
  for (let cursor = 0; ; ) {
    const { entries } = await store.readMailbox(listener, cursor, bounds)
    if (entries.length === 0) return seqs
    for (const entry of entries) if (entry.group === group && entry.kind === 'message') seqs.push(entry.seq)
    cursor = entries.at(-1)?.cursor ?? cursor
  }
}
