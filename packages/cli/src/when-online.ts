// Waits for the relay as long as it takes: a person can do nothing before.
import type { Client } from '@postern/core'

const SLOW_MS = 1000

/** `stopped`: the signal came first. Somebody who watches is told when it takes longer than usual. */
export async function whenOnline(client: Client, until: AbortSignal): Promise<'online' | 'stopped'> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => {
    if (until.aborted || (client.isOnline && client.isRegistered)) resolve()
  }
  const slow = setTimeout(() => process.stderr.write(`Waiting for the relay at ${client.relayUrl}\n`), SLOW_MS)
  const unsubscribe = client.onConnectionChange(look)
  until.addEventListener('abort', look)
  look()
  await promise
  clearTimeout(slow)
  unsubscribe()
  until.removeEventListener('abort', look)
  return until.aborted ? 'stopped' : 'online'
}
