// The parts that the relay's operations work with, assembled at the start.
import type { Clock, Log } from '@postern/protocol'
import type { Audience } from './accounts/audience.ts'
import type { Bans } from './accounts/bans.ts'
import type { LoginGate } from './accounts/login-gate.ts'
import type { PendingLogins } from './accounts/pending-logins.ts'
import type { Registration } from './accounts/register.ts'
import type { BlobRoom } from './blobs/blob-room.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import type { EphemeralFrames } from './groups/ephemeral.ts'
import type { Invites } from './invites/invites.ts'
import type { DiskSpace } from './limits/disk-space.ts'
import type { TrustedProxies } from './limits/peer-address.ts'
import type { Rates } from './limits/rates.ts'
import type { RelayLimits } from './limits/relay-limits.ts'
import type { RelayMetrics } from './metrics/relay-figures.ts'
import type { PushDesk } from './push/push-desk.ts'
import type { RelayStore } from './store/relay-store.ts'
import type { Wake } from './store/wake.ts'

export type RelayContext = {
  readonly store: RelayStore
  readonly blobs: BlobStore
  /** The space that blobs use on the disk. */
  readonly room: BlobRoom
  readonly disk: DiskSpace
  readonly wake: Wake
  readonly ephemeral: EphemeralFrames
  readonly limits: RelayLimits
  /** Per minute. */
  readonly rates: Rates
  readonly hourlyRates: Rates
  readonly clock: Clock
  readonly log: Log
  readonly audience: Audience
  readonly proxies: TrustedProxies | undefined
  /** The registration setting, which may change while the relay runs. */
  readonly admission: { registration: Registration }
  readonly invites: Invites
  readonly push: PushDesk | undefined
  readonly bans: Bans
  readonly arrivals: PendingLogins
  readonly loginGate: LoginGate
  readonly figures: RelayMetrics
}
