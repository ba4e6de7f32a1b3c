// Whether the bot is online at its relay, for a readiness probe.
import type { Client } from '@postern/core'
import { CodedError, cleanLine } from '@postern/protocol'

type BotConnection = Pick<Client, 'isOnline' | 'isRegistered' | 'isReplaced' | 'refusal' | 'lostReason' | 'relayUrl'>

/** Throws 503 with the reason: an operator who reads only the probe must learn what to change. */
export function assertOnline(client: BotConnection): void {
  if (client.isOnline && client.isRegistered) return
  const message = `The bot is not connected to ${client.relayUrl}. ${reasonOf(client)}`
  throw new CodedError('relay-unreachable', {}, { message })
}

function reasonOf({ isReplaced, refusal, lostReason }: BotConnection): string {
  if (isReplaced) return 'Another program uses the keys of this bot. Stop one of the two.'
  if (refusal) return refusal.message
  return lostReason === undefined ? 'It is connecting.' : `The last attempt failed: ${cleanLine(lostReason)}.`
}
