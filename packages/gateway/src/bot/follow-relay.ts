// Another RELAY_URL than the one at which the bot is registered: followed when the bot is found there.
import type { Client, Log } from '@postern/core'
import { clientLimits } from '@postern/protocol'

/** Before anything is changed or served: throws `relay-not-home` where the relay does not know the bot. */
export async function followRelay(client: Client, log: Log): Promise<void> {
  const found = await client.followRelay({ timeoutMs: clientLimits.connectTimeoutMs })
  if (found === 'found') return
  log.warn(
    { setting: 'RELAY_URL', relay: client.relayUrl },
    'nobody answers at RELAY_URL, where the bot is not registered: it is tried on, and until the bot is found there nothing is changed',
  )
}
