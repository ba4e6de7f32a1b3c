// The relay on which an account is about to register: that of the present start, not of the first.
import type { Clock } from '@postern/protocol'
import type { Store } from '../storage/transactions/store.ts'
import type { OwnAccount } from './account.ts'
import { retireKeyPackages } from './key-packages.ts'

/** An unregistered account can still move to any relay: a mistyped address is not kept. */
export async function chooseRelay(
  { store, clock }: { store: Store; clock: Clock },
  own: OwnAccount,
  relayUrl: string,
): Promise<void> {
  await store.write(database => {
    database.run('UPDATE account SET relay_url = ? WHERE registered = 0', relayUrl)
    // Key packages were published at a relay that is given up: the next relay needs its own.
    retireKeyPackages(database, clock.nowMs())
  })
  own.relayUrl = relayUrl
}
