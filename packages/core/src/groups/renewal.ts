// Schedules the renewal of this client's keys in a group:
// by time, later in large groups, and never by all members together.
import type { MlsProvider } from '@postern/mls'
import { clientLimits } from '@postern/protocol'
import type { ElapsedClock } from '../storage/state/elapsed-clock.ts'

type Chance = { elapsed: Pick<ElapsedClock, 'nowMs'>; provider: Pick<MlsProvider, 'randomBytes'> }

/**
 * In a group of a thousand, each member renews twenty times less often than in one of fifty, so the commits that a
 * group has to follow stay the same. Spread by half, so that members who joined together do not renew together.
 */
export function nextRenewalMs({ elapsed, provider }: Chance, members: number): number {
  const { renewKeysAfterMs, renewKeysMembers } = clientLimits
  const periodMs = renewKeysAfterMs * Math.max(1, members / renewKeysMembers)
  return Math.round(elapsed.nowMs() + periodMs * (0.75 + fraction(provider) / 2))
}

/**
 * Others may have used the last resort package before, and may know its keys:
 * renew soon, and one by one in a large group.
 */
export function soonRenewalMs({ elapsed, provider }: Chance, members: number): number {
  const isSmall = members <= clientLimits.renewKeysMembers
  return isSmall ? 0 : Math.round(elapsed.nowMs() + members * 1000 * fraction(provider))
}

/** From 0 to 1. */
function fraction(provider: Pick<MlsProvider, 'randomBytes'>): number {
  const [high = 0, low = 0] = provider.randomBytes(2)
  return (high * 256 + low) / 65_536
}
