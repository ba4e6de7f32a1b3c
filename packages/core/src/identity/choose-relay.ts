// The relay on which an account is about to register: of the present start, not of the first.
import type { Clock } from '@postern/protocol'
import type { Store } from '../storage/store.ts'
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
    // Those that a relay has that was given up before it let this account in: the next one needs its own.
    retireKeyPackages(database, clock.nowMs())
  })
  own.relayUrl = relayUrl
}
