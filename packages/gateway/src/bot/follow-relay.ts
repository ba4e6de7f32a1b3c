// Moves the bot to a new RELAY_URL once the relay there knows the bot.
import type { Client, Log } from '@postern/core'
import { clientLimits } from '@postern/protocol'

/** Runs before anything is changed or served. Throws `relay-not-home` if the relay does not know the bot. */
export async function followRelay(client: Client, log: Log): Promise<void> {
  const found = await client.followRelay({ timeoutMs: clientLimits.connectTimeoutMs })
  if (found === 'found') return
  log.warn(
    { setting: 'RELAY_URL', relay: client.relayUrl },
    'new relay unreachable; keeping the current one until the bot is found there',
  )
}
