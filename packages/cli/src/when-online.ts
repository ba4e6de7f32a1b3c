// Waits for the relay as long as it takes: a person and a demo can do nothing before.
import type { Client } from '@postern/core'

/** `stopped`: the signal came first. */
export async function whenOnline(client: Client, until: AbortSignal): Promise<'online' | 'stopped'> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => {
    if (until.aborted || (client.isOnline && client.isRegistered)) resolve()
  }
  const unsubscribe = client.onConnectionChange(look)
  until.addEventListener('abort', look)
  look()
  await promise
  unsubscribe()
  until.removeEventListener('abort', look)
  return until.aborted ? 'stopped' : 'online'
}
