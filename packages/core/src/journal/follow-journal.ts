// Reads the journal on and on: what there is, then what comes, until somebody says stop.
import { Deferred } from '@postern/protocol'
import type { Journal } from './journal.ts'

/**
 * `read` gives the next entries from where its reader stands, nothing when there are none: the reader alone knows its place,
 * which may be moved meanwhile, and confirms what it has dealt with. Entries that are not dealt with are read again.
 */
export type FollowOptions<Entry> = { read: () => readonly Entry[]; until: AbortSignal }

/** Never gives an empty page. Rejects with what `read` throws: to go on after it, follow anew. */
export function followJournal<Entry>(
  journal: Pick<Journal, 'onAppend'>,
  { read, until }: FollowOptions<Entry>,
): AsyncIterable<readonly Entry[]> {
  const next = async (): Promise<IteratorResult<readonly Entry[], undefined>> => {
    while (!until.aborted) {
      const entries = read()
      if (entries.length > 0) return { done: false, value: entries }
      await grown(journal, until)
    }
    return { done: true, value: undefined }
  }
  // By hand: a generator would cost two more rounds of the microtask queue for each page.
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

/** To be called right after a read that found nothing: no entry can come in between. */
function grown(journal: Pick<Journal, 'onAppend'>, until: AbortSignal): Promise<void> {
  const wait = new Deferred()
  const wake = () => wait.resolve()
  wait.onAbort(until, wake)
  wait.onSettled(journal.onAppend(wake))
  return wait.promise
}
