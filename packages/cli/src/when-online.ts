// Waits for the relay as long as it takes: a person can do nothing before.
import type { Client } from '@postern/core'
import { Deferred, personLimits, systemClock } from '@postern/protocol'

/** `stopped`: the signal came first. A line is printed when it takes longer than usual. */
export async function whenOnline(client: Client, until: AbortSignal): Promise<'online' | 'stopped'> {
  const wait = new Deferred()
  const look = () => {
    if (client.isOnline && client.isRegistered) wait.resolve()
  }
  wait.onAbort(until, () => wait.resolve())
  wait.onSettled(client.onConnectionChange(look))
  wait.after(
    systemClock,
    personLimits.slowConnectMs,
    () => void process.stderr.write(`Waiting for the relay at ${client.relayUrl}\n`),
  )
  look()
  await wait.promise
  return until.aborted ? 'stopped' : 'online'
}
