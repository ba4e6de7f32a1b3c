// The relay on which an account is about to register: of the present start, not of the first.
import type { Clock } from '@postern/protocol'
import type { Store } from '../storage/transactions/store.ts'
import type { OwnAccount } from './account.ts'
import { retireKeyPackages } from './key-packages.ts'

/** Registered nowhere yet, an account can still go anywhere: an address that was mistyped is not kept. */
export async function chooseRelay(
  { store, clock }: { store: Store; clock: Clock },
  own: OwnAccount,
  relayUrl: string,
): Promise<void> {
  await store.write(database => {
    database.run('UPDATE account SET relay_url = ? WHERE registered = 0', relayUrl)
    // Key packages that were published at a relay that is given up: the next relay needs its own.
    retireKeyPackages(database, clock.nowMs())
  })
  own.relayUrl = relayUrl
}
