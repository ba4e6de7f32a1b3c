// What befalls relays, their database and the way between them, and when: drawn from the seed alone.
import type { SeededRandom } from '@postern/testkit'

/** `silent`: nothing passes, and what waits passes later. `…-lost`: it never does, and its connection is gone when that is over. */
export type WayFault = 'reset' | 'silent' | 'answers-lost' | 'requests-lost' | 'cut-short' | 'refused'

export type RelayFault =
  | { kind: 'relay-killed'; relay: number; awayMs: number }
  | { kind: 'relay-held'; relay: number; forMs: number }
  | { kind: 'database-killed'; awayMs: number }
  /** Its connection is ended while it puts entries into mailboxes, or while it writes to the log. */
  | { kind: 'fan-out-ended' }
  | { kind: 'writer-ended' }
  | { kind: 'way-broken'; relay: number; how: WayFault; forMs: number }

export type Scheduled = { afterMs: number; fault: RelayFault }

/** Past all that relay and database wait for each other: 10 s for a statement, 15 s for its answer. */
const PAST_TIME_OUTS_MS = 20_000
const LONG_ONE_IN = 12

/** By weight: `relay-killed` three times as often as `database-killed`. */
const kinds = [
  ...['relay-killed', 'relay-killed', 'relay-killed', 'database-killed', 'fan-out-ended', 'fan-out-ended'],
  ...['writer-ended', 'relay-held', 'way-broken', 'way-broken', 'way-broken'],
] as RelayFault['kind'][]
const ways: readonly WayFault[] = [
  'reset',
  'silent',
  'answers-lost',
  'answers-lost',
  'requests-lost',
  'cut-short',
  'refused',
]

export function drawFaults(random: SeededRandom, { kills, relays }: { kills: number; relays: number }): Scheduled[] {
  return Array.from({ length: kills }, (_, at) => ({
    afterMs: 50 + random.below(900),
    // First of all one stands still for long: a short run has that, too.
    fault: at === 0 ? held(random.below(relays)) : drawFault(random, relays),
  }))
}

const held = (relay: number): RelayFault => ({ kind: 'relay-held', relay, forMs: PAST_TIME_OUTS_MS })

function drawFault(random: SeededRandom, relays: number): RelayFault {
  const kind = random.of(kinds)
  const relay = random.below(relays)
  const isLong = random.below(LONG_ONE_IN) === 0
  const forMs = isLong ? PAST_TIME_OUTS_MS : 50 + random.below(1_500)
  switch (kind) {
    case 'relay-killed':
      return { kind, relay, awayMs: random.below(400) }
    case 'database-killed':
      return { kind, awayMs: random.below(400) }
    case 'relay-held':
      return { kind, relay, forMs }
    case 'way-broken':
      return { kind, relay, how: random.of(ways), forMs }
    case 'fan-out-ended':
    case 'writer-ended':
      return { kind }
    default:
      return kind satisfies never
  }
}

export const isPastTimeOuts = (fault: RelayFault): boolean => 'forMs' in fault && fault.forMs >= PAST_TIME_OUTS_MS
