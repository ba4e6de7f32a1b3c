// Registers an account: checks the registration setting, the rate of the address, and the invite.
import { type AccountId, type Clock, CodedError } from '@postern/protocol'
import type { Invites } from '../invites/invites.ts'
import type { Rates } from '../limits/rates.ts'
import type { RelayLimits } from '../limits/relay-limits.ts'
import type { RelayMetrics } from '../metrics/relay-figures.ts'
import type { StoredInvite } from '../store/invite-store.ts'
import type { RelayStore } from '../store/relay-store.ts'

export const registrations = ['open', 'invite', 'closed'] as const
export type Registration = (typeof registrations)[number]

type RegisterParts = {
  readonly store: RelayStore
  readonly limits: RelayLimits
  readonly rates: Rates
  readonly hourlyRates: Rates
  readonly clock: Clock
  readonly admission: { readonly registration: Registration }
  readonly invites: Invites
  readonly figures: RelayMetrics
}

type Newcomer = { accountKey: Uint8Array; invite: string | undefined; address: string; signal: AbortSignal }

/** Does nothing if the account already exists. */
export async function register(parts: RegisterParts, account: AccountId, newcomer: Newcomer): Promise<void> {
  const { store, clock, figures } = parts
  const { accountKey, signal } = newcomer
  if (await store.getAccount(account, signal)) return
  const invite = await inviteOf(parts, newcomer)
  chargeRegistration(parts, newcomer.address)
  const made = await store.registerAccount(account, { accountKey, invite, nowMs: clock.nowMs() }, signal)
  if (made === 'created') figures.registrations.add()
}

async function inviteOf(parts: RegisterParts, { invite, address }: Newcomer): Promise<StoredInvite | undefined> {
  const { admission, rates, limits, invites, clock } = parts
  const { registration } = admission
  switch (registration) {
    case 'open':
      return undefined
    case 'closed':
      throw new CodedError('registration-closed')
    case 'invite': {
      if (invite === undefined) throw new CodedError('invite-required')
      const what = 'invites tried'
      rates.charge(`invite ${address}`, { count: 1, max: limits.inviteTriesPerAddressPerMinute, what })
      rates.charge('invite', { count: 1, max: limits.inviteTriesPerMinute, what })
      return await invites.find(invite, clock.nowMs())
    }
    default:
      return registration satisfies never
  }
}

/** Charges the address first: one peer must not use up the budget of all. */
function chargeRegistration({ rates, hourlyRates, limits }: RegisterParts, address: string): void {
  const what = 'registrations'
  hourlyRates.charge(`register ${address}`, { count: 1, max: limits.registrationsPerAddressPerHour, what })
  rates.charge('register', { count: 1, max: limits.registrationsPerMinute, what })
}
