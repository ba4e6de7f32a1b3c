// Shows the safety number of a person, compares it with the one that the person sees, and notes the result.
import type { SafetyNumberAnswer } from '@postern/bot-api'
import type { Client } from '@postern/core'
import { type AccountId, CodedError, gatewayLimits } from '@postern/protocol'

const within = { timeoutMs: gatewayLimits.sendWithinMs }

export async function getSafetyNumber(client: Client, account: AccountId): Promise<SafetyNumberAnswer> {
  const number = await client.identity.safetyNumber(account, within)
  return { ...number, verified: client.identity.profileOf(account).verified ?? false }
}

export async function compareSafetyNumber(
  client: Client,
  { account, verified, number }: { account: AccountId; verified: boolean; number?: string | undefined },
): Promise<SafetyNumberAnswer> {
  if (number !== undefined && !verified)
    throw new CodedError('bad-field', { field: 'number', rule: 'must be absent when verified is false' })
  const shown = await client.identity.safetyNumber(account, within)
  if (number !== undefined && !isSame(number, shown))
    throw new CodedError('bad-field', {
      field: 'number',
      rule: 'is not the safety number of this person: it was copied wrong, or somebody intercepts the chat',
    })
  await client.identity.setVerified(account, verified ? 'verified' : 'unverified')
  return { ...shown, verified }
}

const isSame = (given: string, { number, qr }: { number: string; qr: string }): boolean =>
  given === qr || withoutSpaces(given) === withoutSpaces(number)

const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '')
