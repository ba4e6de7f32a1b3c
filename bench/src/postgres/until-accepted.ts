// An append that is repeated while the store is unavailable, as a client repeats it.
import { setTimeout as wait } from 'node:timers/promises'
import { isCoded } from '@postern/protocol'
import type { Append, RelayStore } from '@postern/relay/store'

const ASK_AGAIN_MS = 20

/** Its number in the group. A full outbox makes senders wait, and their waiting belongs to the figure. */
export async function appendUntilAccepted(store: RelayStore, append: Append): Promise<number> {
  for (;;)
    try {
      const { accepted } = await store.append(append)
      if (!accepted) throw new Error('the store refused an append')
      return accepted.seq
    } catch (error) {
      if (!isCoded(error, 'unavailable')) throw error
      await wait(ASK_AGAIN_MS)
    }
}
