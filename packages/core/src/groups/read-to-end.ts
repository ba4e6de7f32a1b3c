// Waits until the log was read to its end: it may forbid the next step.
import { CodedError, type Deadline, Deferred } from '@postern/protocol'
import { progressOf } from '../journal/progress.ts'
import type { RelayLink } from '../relay-link/relay-link.ts'
import type { Store } from '../storage/transactions/store.ts'

/** Everything that the relay had accepted for this account before this call. Throws `relay-unreachable`. */
export async function readToEnd({ link, store }: { link: RelayLink; store: Store }, deadline: Deadline): Promise<void> {
  const { head } = await link.call('mailboxEnd', {}, deadline.leftMs())
  const read = new Deferred()
  const look = () => progressOf(store).cursor >= head && read.resolve()
  read.onSettled(store.onCommit(look))
  read.onSettled(link.onChange(() => link.isOnline || read.reject(new CodedError('relay-unreachable'))))
  look()
  try {
    await deadline.awaiting(() => read.promise)
  } finally {
    read.resolve()
  }
}
