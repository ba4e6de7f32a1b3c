// The code by which a relay takes a new account: read as people paste it, and tried until the relay has said yes or no.
import type { Client } from '@postern/core'
import { appLimits, type Clock, CodedError, Deferred, wireLimits } from '@postern/protocol'

/** What cannot be a code is not asked of the relay: it counts the tries of an address. */
export function readRelayCode(text: string): string {
  const code = text.replace(/\s/g, '')
  if (!/^[A-Za-z0-9]+$/.test(code) || code.length > wireLimits.inviteBytesMax) throw new CodedError('invite-wrong')
  return code
}

/** Rejects with why the relay does not take it; with `relay-unreachable` when it says nothing. */
export function whenTaken(client: Client, clock: Clock): Promise<void> {
  const wait = new Deferred()
  wait.after(clock, appLimits.callTimeoutMs, () => wait.reject(new CodedError('relay-unreachable')))
  const look = () => {
    if (client.isOnline) wait.resolve()
    else if (client.refusal) wait.reject(client.refusal)
  }
  wait.onSettled(client.onConnectionChange(look))
  return wait.promise
}
