// The faults of relays, their database and the connections between them, and their times: drawn from the seed alone.
import { SeededRandom } from '@postern/testkit'

/**
 * `silent`: nothing passes, and waiting bytes pass later. `…-lost`: they never do, and the connection is gone
 * afterwards.
 */
export type WayFault = 'reset' | 'silent' | 'answers-lost' | 'requests-lost' | 'cut-short' | 'refused'

export type RelayFault =
  | { kind: 'relay-killed'; relay: number; awayMs: number }
  | { kind: 'relay-held'; relay: number; forMs: number }
  /** Everybody's connection is cut at the same moment, and everybody returns while each commit takes 20 ms. */
  | { kind: 'login-storm' }
  | { kind: 'database-killed'; awayMs: number }
  /** As its operator does it: the server ends all connections. */
  | { kind: 'database-restarted'; awayMs: number }
  /** A standby takes over, and the old primary comes back as a primary for some time. */
  | { kind: 'primary-lost'; how: 'killed' | 'silent'; forMs: number; backMs: number }
  /** `postern relay restored` beside running relays, which are connected to the database or cut off from it. */
  | { kind: 'marked-restored'; isCut: boolean }
  /** It executes requests when it wakes, also those whose senders have given up. */
  | { kind: 'database-held'; forMs: number }
  /** It runs a tenth of the time. */
  | { kind: 'database-slow'; forMs: number }
  /** The primary's disk has no more space than this. */
  | { kind: 'disk-full'; leftBytes: number; forMs: number }
  /** Somebody holds a snapshot, as a dump does: no dead row can be removed. */
  | { kind: 'snapshot-held'; forMs: number }
  /** Its connection is ended while it writes entries into mailboxes, or while it writes to the log. */
  | { kind: 'fan-out-ended' }
  | { kind: 'writer-ended' }
  | { kind: 'way-broken'; relay: number; how: WayFault; forMs: number }
  /** The store of blobs refuses connections, or is silent. */
  | { kind: 'blobs-gone'; how: 'refused' | 'silent'; forMs: number }

/** The name under which a fault is chosen and counted. */
export function nameOfFault(fault: RelayFault): string {
  if ('how' in fault) return `${fault.kind.split('-')[0]}-${fault.how}`
  if (fault.kind === 'marked-restored') return fault.isCut ? 'restored-while-cut' : 'restored-beside'
  return fault.kind
}

export type Scheduled = { afterMs: number; fault: RelayFault }

/** Longer than all timeouts between relay and database: 10 s for a statement, 15 s for its answer. */
const PAST_TIME_OUTS_MS = 20_000
const LONG_ONE_IN = 16
const SHORT_MS = 1_500
const AWAY_MS = 400
const NEARLY_FULL_BYTES = 200_000
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
const lost =
  (how: 'killed' | 'silent'): Draw =>
  random => ({ kind: 'primary-lost', how, forMs: 50 + random.below(SHORT_MS), backMs: random.below(SHORT_MS) })
const blobsGone =
  (how: 'refused' | 'silent'): Draw =>
  random => ({ kind: 'blobs-gone', how, forMs: drawMs(random) })
const fanOutEnded: Draw = () => ({ kind: 'fan-out-ended' })
/** Every kind once. */
const each: readonly Draw[] = [
  killed,
  (random, relays) => ({ kind: 'relay-held', relay: random.below(relays), forMs: drawMs(random) }),
  () => ({ kind: 'login-storm' }),
  random => ({ kind: 'database-killed', awayMs: random.below(AWAY_MS) }),
  random => ({ kind: 'database-restarted', awayMs: random.below(AWAY_MS) }),
  lost('killed'),
  lost('silent'),
  () => ({ kind: 'marked-restored', isCut: false }),
  () => ({ kind: 'marked-restored', isCut: true }),
  random => ({ kind: 'database-held', forMs: drawMs(random) }),
  random => ({ kind: 'database-slow', forMs: drawMs(random) }),
  random => ({ kind: 'disk-full', leftBytes: random.below(2) * NEARLY_FULL_BYTES, forMs: drawMs(random) }),
  random => ({ kind: 'snapshot-held', forMs: drawMs(random) }),
  fanOutEnded,
  () => ({ kind: 'writer-ended' }),
  ...(['reset', 'silent', 'answers-lost', 'requests-lost', 'cut-short', 'refused'] as const).map(broken),
  blobsGone('refused'),
  blobsGone('silent'),
]
const draws = [...each, killed, killed, fanOutEnded, broken('answers-lost')]

const drawMs = (random: SeededRandom): number =>
  random.below(LONG_ONE_IN) === 0 ? PAST_TIME_OUTS_MS : 50 + random.below(SHORT_MS)

const briefly =
  (draw: Draw): Draw =>
  (random, relays) =>
    shortened(draw(random, relays))

/** `only`: names of faults; all when it is empty. `slowMs`: before the others the database is slow for so long. */
type Wanted = { kills: number; relays: number; only?: readonly string[]; slowMs?: number }

/** First a relay is stopped for long, then comes every kind once, briefly: even a short run has all of them. */
export function drawFaults(random: SeededRandom, { kills, relays, only = [], slowMs = 0 }: Wanted): Scheduled[] {
  const held: Draw = () => ({ kind: 'relay-held', relay: random.below(relays), forMs: PAST_TIME_OUTS_MS })
  const first = [held, ...shuffled(random, each).map(briefly)].filter(isAmong(only))
  const others = draws.filter(isAmong(only))
  const drawn = Array.from({ length: kills }, (_, at) => ({
    afterMs: 50 + random.below(PAUSE_MS),
    fault: (first[at] ?? random.of(others))(random, relays),
  }))
  return [...(slowMs > 0 ? [{ afterMs: 0, fault: { kind: 'database-slow' as const, forMs: slowMs } }] : []), ...drawn]
}

export const faultNames: readonly string[] = each.map(draw => nameOfDraw(draw))

function nameOfDraw(draw: Draw): string {
  return nameOfFault(draw(new SeededRandom(0), 1))
}

const isAmong =
  (only: readonly string[]) =>
  (draw: Draw): boolean =>
    only.length === 0 || only.includes(nameOfDraw(draw))

function shuffled(random: SeededRandom, all: readonly Draw[]): Draw[] {
  const left = [...all]
  return all.map(() => left.splice(random.below(left.length), 1)[0] as Draw)
}

/** The same fault, briefly. */
export const shortened = <Fault extends RelayFault>(fault: Fault): Fault =>
  isPastTimeOuts(fault) ? { ...fault, forMs: SHORT_MS } : fault

/** The others continue meanwhile: a part that is stopped past its timeouts wakes to a world that has moved on. */
export const isBesideOthers = (fault: RelayFault): boolean =>
  isPastTimeOuts(fault) && !['database-held', 'database-slow', 'disk-full'].includes(fault.kind)

export const isPastTimeOuts = (fault: RelayFault): boolean => 'forMs' in fault && fault.forMs >= PAST_TIME_OUTS_MS
