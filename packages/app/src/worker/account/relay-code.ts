// The code with which a relay accepts a new account: parsed from pasted text, and tried until the relay has answered.
import type { Client } from '@postern/core'
import { appLimits, type Clock, CodedError, Deferred, wireLimits } from '@postern/protocol'

/** An impossible code is not sent to the relay: it counts the tries of an address. */
export function readRelayCode(text: string): string {
  const code = text.replace(/\s/g, '')
  if (!/^[A-Za-z0-9]+$/.test(code) || code.length > wireLimits.inviteBytesMax) throw new CodedError('invite-wrong')
  return code
}

/** Rejects with the relay's reason; with `relay-unreachable` when it does not answer. */
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
