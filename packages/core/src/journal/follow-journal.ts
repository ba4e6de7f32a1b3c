// Follows the journal: yields the existing entries, then new ones, until it is aborted.
import { Deferred } from '@postern/protocol'
import type { Journal } from './journal.ts'

/**
 * `read` returns the next entries from the reader's place, or none. The reader alone knows its place, which may be
 * moved meanwhile, and confirms the entries that it has processed. Unconfirmed entries are read again.
 */
export type FollowOptions<Entry> = {
  read: () => readonly Entry[]
  until: AbortSignal
  /** Called with an error of `read`. The next read follows when it resolves. */
  recover?: (error: unknown) => Promise<void>
}

/** Never yields an empty page. Without `recover` it rejects with the errors of `read`. */
export function followJournal<Entry>(
  journal: Pick<Journal, 'onAppend'>,
  { read, until, recover = rethrow }: FollowOptions<Entry>,
): AsyncIterable<readonly Entry[]> {
  const next = async (): Promise<IteratorResult<readonly Entry[], undefined>> => {
    while (!until.aborted) {
      let entries: readonly Entry[]
      try {
        entries = read()
      } catch (error) {
        await recover(error)
        continue
      }
      if (entries.length > 0) return { done: false, value: entries }
      await grown(journal, until)
    }
    return { done: true, value: undefined }
  }
  // Written by hand: a generator would cost two more rounds of the microtask queue for each page.
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

async function rethrow(error: unknown): Promise<void> {
  throw error
}

/** Call this right after a read that found nothing: no entry can come in between. */
function grown(journal: Pick<Journal, 'onAppend'>, until: AbortSignal): Promise<void> {
  const wait = new Deferred()
  const wake = () => wait.resolve()
  wait.onAbort(until, wake)
  wait.onSettled(journal.onAppend(wake))
  return wait.promise
}
