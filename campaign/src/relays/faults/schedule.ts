// The faults of relays, their database and the connections between them, and their times: drawn from the seed alone.
import type { SeededRandom } from '@postern/testkit'

/**
 * `silent`: nothing passes, and waiting bytes pass later. `…-lost`: they never do, and the connection is gone
 * afterwards.
 */
export type WayFault = 'reset' | 'silent' | 'answers-lost' | 'requests-lost' | 'cut-short' | 'refused'

export type RelayFault =
  | { kind: 'relay-killed'; relay: number; awayMs: number }
  | { kind: 'relay-held'; relay: number; forMs: number }
  | { kind: 'database-killed'; awayMs: number }
  /** It executes requests when it wakes, also those whose senders have given up. */
  | { kind: 'database-held'; forMs: number }
  /** It runs a tenth of the time. */
  | { kind: 'database-slow'; forMs: number }
  /** Somebody holds a snapshot, as a dump does: no dead row can be removed. */
  | { kind: 'snapshot-held'; forMs: number }
  /** Its connection is ended while it writes entries into mailboxes, or while it writes to the log. */
  | { kind: 'fan-out-ended' }
  | { kind: 'writer-ended' }
  | { kind: 'way-broken'; relay: number; how: WayFault; forMs: number }

export type Scheduled = { afterMs: number; fault: RelayFault }

/** Longer than all timeouts between relay and database: 10 s for a statement, 15 s for its answer. */
const PAST_TIME_OUTS_MS = 20_000
const LONG_ONE_IN = 16
const SHORT_MS = 1_500
const AWAY_MS = 400
const PAUSE_MS = 900

/** The possible faults, by weight: a relay is killed three times as often as the database. */
type Draw = (random: SeededRandom, relays: number) => RelayFault
const broken =
  (how: WayFault): Draw =>
  (random, relays) => ({ kind: 'way-broken', relay: random.below(relays), how, forMs: drawMs(random) })
const killed: Draw = (random, relays) => ({
  kind: 'relay-killed',
  relay: random.below(relays),
  awayMs: random.below(AWAY_MS),
})
const fanOutEnded: Draw = () => ({ kind: 'fan-out-ended' })
/** Every kind once. */
const each: readonly Draw[] = [
  killed,
  (random, relays) => ({ kind: 'relay-held', relay: random.below(relays), forMs: drawMs(random) }),
  random => ({ kind: 'database-killed', awayMs: random.below(AWAY_MS) }),
  random => ({ kind: 'database-held', forMs: drawMs(random) }),
  random => ({ kind: 'database-slow', forMs: drawMs(random) }),
  random => ({ kind: 'snapshot-held', forMs: drawMs(random) }),
  fanOutEnded,
  () => ({ kind: 'writer-ended' }),
  ...(['reset', 'silent', 'answers-lost', 'requests-lost', 'cut-short', 'refused'] as const).map(broken),
]
const draws = [...each, killed, killed, fanOutEnded, broken('answers-lost')]

const drawMs = (random: SeededRandom): number =>
  random.below(LONG_ONE_IN) === 0 ? PAST_TIME_OUTS_MS : 50 + random.below(SHORT_MS)

const briefly =
  (draw: Draw): Draw =>
  (random, relays) =>
    shortened(draw(random, relays))

/** First a relay is stopped for long, then comes every kind once, briefly: even a short run has all of them. */
export function drawFaults(random: SeededRandom, { kills, relays }: { kills: number; relays: number }): Scheduled[] {
  const held: Draw = () => ({ kind: 'relay-held', relay: random.below(relays), forMs: PAST_TIME_OUTS_MS })
  const first = [held, ...shuffled(random, each).map(briefly)]
  return Array.from({ length: kills }, (_, at) => ({
    afterMs: 50 + random.below(PAUSE_MS),
    fault: (first[at] ?? random.of(draws))(random, relays),
  }))
}

function shuffled(random: SeededRandom, all: readonly Draw[]): Draw[] {
  const left = [...all]
  return all.map(() => left.splice(random.below(left.length), 1)[0] as Draw)
}

/** The same fault, briefly. */
export const shortened = <Fault extends RelayFault>(fault: Fault): Fault =>
  isPastTimeOuts(fault) ? { ...fault, forMs: SHORT_MS } : fault

/** All relays are hit: no other fault comes meanwhile. */
export const hitsAll = ({ kind }: RelayFault): boolean => kind === 'database-held' || kind === 'database-slow'

export const isPastTimeOuts = (fault: RelayFault): boolean => 'forMs' in fault && fault.forMs >= PAST_TIME_OUTS_MS
