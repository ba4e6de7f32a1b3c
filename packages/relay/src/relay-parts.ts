// What the relay's operations work with; whoever starts a relay puts it together.
import type { Clock } from '@postern/protocol'
import type { Logger } from 'pino'
import type { BlobStore } from './blobs/blob-store.ts'
import type { Audience } from './connections/audience.ts'
import type { Invites } from './invites/invites.ts'
import type { TrustedProxies } from './limits/peer-address.ts'
import type { Rates } from './limits/rates.ts'
import type { RelayLimits } from './limits/relay-limits.ts'
import type { RelayStore } from './store/relay-store.ts'
import type { Wake } from './wake.ts'

export const registrations = ['open', 'invite', 'closed'] as const
/** Who may register. */
export type Registration = (typeof registrations)[number]

export type RelayParts = {
  readonly store: RelayStore
  readonly blobs: BlobStore
  readonly wake: Wake
  readonly limits: RelayLimits
  /** By the minute. */
  readonly rates: Rates
  readonly hourlyRates: Rates
  readonly clock: Clock
  readonly logger: Logger
  readonly audience: Audience
  readonly proxies: TrustedProxies | undefined
  readonly registration: Registration
  readonly invites: Invites
}
