// When a client's own keys in a group are renewed: by time, later in large groups, and never by all of them at once.
import type { MlsProvider } from '@postern/mls'
import { clientLimits } from '@postern/protocol'
import type { ElapsedClock } from '../storage/state/elapsed-clock.ts'

type Chance = { elapsed: Pick<ElapsedClock, 'nowMs'>; provider: Pick<MlsProvider, 'randomBytes'> }

/**
 * In a group of a thousand each member does it twenty times less often than in one of fifty: what a group has to follow
 * stays the same. Spread by half, so that those who joined together do not renew together.
 */
export function nextRenewalMs({ elapsed, provider }: Chance, members: number): number {
  const { renewKeysAfterMs, renewKeysMembers } = clientLimits
  const periodMs = renewKeysAfterMs * Math.max(1, members / renewKeysMembers)
  return Math.round(elapsed.nowMs() + periodMs * (0.75 + fraction(provider) / 2))
}

/** A last resort package may have let others in before, and its keys be known: soon, and in a large group one by one. */
export function soonRenewalMs({ elapsed, provider }: Chance, members: number): number {
  const isSmall = members <= clientLimits.renewKeysMembers
  return isSmall ? 0 : Math.round(elapsed.nowMs() + members * 1000 * fraction(provider))
}

/** From 0 to 1. */
function fraction(provider: Pick<MlsProvider, 'randomBytes'>): number {
  const [high = 0, low = 0] = provider.randomBytes(2)
  return (high * 256 + low) / 65_536
}
