// What the relay's operations work with; whoever starts a relay puts it together.
import type { Clock } from '@postern/protocol'
import type { Logger } from 'pino'
import type { BlobStore } from './blobs/blob-store.ts'
import type { Audience } from './connections/audience.ts'
import type { MinuteRates } from './limits/minute-rates.ts'
import type { TrustedProxies } from './limits/peer-address.ts'
import type { RelayLimits } from './limits/relay-limits.ts'
import type { RelayStore } from './store/relay-store.ts'
import type { Wake } from './wake.ts'

export type RelayParts = {
  readonly store: RelayStore
  readonly blobs: BlobStore
  readonly wake: Wake
  readonly limits: RelayLimits
  readonly rates: MinuteRates
  readonly clock: Clock
  readonly logger: Logger
  readonly audience: Audience
  readonly proxies: TrustedProxies | undefined
}
