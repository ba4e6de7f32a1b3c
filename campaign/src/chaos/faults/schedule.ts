// The faults, their targets and their times: the same seed gives the same schedule.
import { SeededRandom } from '@postern/testkit'
import type { PartName } from '../parts/part.ts'
import type { LinkName } from '../parts/stage.ts'
import type { Direction } from '../wire/tcp-link.ts'

export type NetworkHow = 'cut' | 'refuse' | 'stall' | 'delay' | 'half-close' | 'cut-short' | 'lose'
export type Fault =
  | { kind: 'kill'; part: PartName; downMs: number }
  | { kind: 'stop'; part: PartName; forMs: number }
  /** `andKilled`: it has to start again while there is no space. */
  | { kind: 'disk-full'; part: PartName; leftBytes: number; forMs: number; andKilled: boolean }
  /** `clock-beyond`: so far that the relay's time is no longer believed; the order must be the relay's all the same. */
  | { kind: 'clock' | 'clock-beyond'; part: PartName; byMs: number; forMs: number; isAtBoot: boolean }
  | { kind: 'copy'; part: PartName }
  /** Nobody reads updates, and they queue up. */
  | { kind: 'away'; forMs: number }
  | { kind: 'network'; how: NetworkHow; link: LinkName; direction: Direction; forMs: number }
export type FaultKind = Fault['kind']

export type Scheduled = { afterMs: number; fault: Fault }
/** Two at a time: one fault of parts, and one of the network between them. */
export type Schedule = { parts: Scheduled[]; network: Scheduled[] }

export const faultKinds = [
  'kill',
  'stop',
  'disk-full',
  'clock',
  'clock-beyond',
  'copy',
  'away',
  'network',
] as const satisfies FaultKind[]

const DAY_MS = 86_400_000
const partNames: readonly PartName[] = [
  'relay',
  'relay',
  'poller',
  'poller',
  'pusher',
  'pusher',
  'alice',
  'bob',
  'carol',
]
const linkNames: readonly LinkName[] = [
  'alice-relay',
  'bob-relay',
  'poller-relay',
  'pusher-relay',
  'operator-poller',
  'operator-pusher',
  'senders-poller',
  'senders-poller',
  'pusher-receiver',
]
const hows: readonly NetworkHow[] = ['cut', 'refuse', 'stall', 'delay', 'half-close', 'cut-short', 'lose', 'lose']
/** A client believes a relay that is far behind its own clock, and up to ten minutes ahead of it. */
const jumps = [3 * DAY_MS, 5 * DAY_MS, 3_600_000, 120_000, -120_000]
const relayJumps = [-3 * DAY_MS, -3_600_000, 120_000, -120_000]
const roomsLeft = [0, 0, 4_096, 16_384, 65_536, 262_144]
/** How often each requested kind occurs. */
const weights: Record<Exclude<FaultKind, 'network'>, number> = {
  kill: 6,
  stop: 2,
  'disk-full': 3,
  clock: 2,
  'clock-beyond': 2,
  copy: 1,
  away: 1,
}

export type ScheduleOptions = {
  seed: number
  kinds: readonly FaultKind[]
  ms: number
  faultsMax?: number
  /** Only these parts have faults. */
  parts?: readonly PartName[]
}

export function scheduleOf({
  seed,
  kinds,
  ms,
  faultsMax = 100_000,
  parts: only = partNames,
}: ScheduleOptions): Schedule {
  const random = new SeededRandom(seed)
  const networkRandom = new SeededRandom(seed ^ 0x5bd1e995)
  const partKinds = kinds
    .filter(kind => kind !== 'network')
    .flatMap(kind => Array<typeof kind>(weights[kind]).fill(kind))
  const parts =
    partKinds.length > 0
      ? listOf({ ms, faultsMax, random }, () =>
          partFault(random, { kind: random.of(partKinds), part: random.of(only) }),
        )
      : []
  const network = kinds.includes('network')
    ? listOf({ ms, faultsMax, random: networkRandom }, () => networkFault(networkRandom))
    : []
  return { parts, network }
}

type ListBounds = { ms: number; faultsMax: number; random: SeededRandom }

function listOf({ ms, faultsMax, random }: ListBounds, next: () => Fault): Scheduled[] {
  const list: Scheduled[] = []
  for (let atMs = 0; atMs < ms && list.length < faultsMax; ) {
    const scheduled = { afterMs: 300 + random.below(1500), fault: next() }
    list.push(scheduled)
    atMs += scheduled.afterMs + lastsMs(scheduled.fault)
  }
  return list
}

/** Approximately; a start is not included. */
function lastsMs(fault: Fault): number {
  switch (fault.kind) {
    case 'kill':
      return fault.downMs
    case 'copy':
      return 500
    case 'clock':
    case 'clock-beyond':
      return fault.forMs + 1500
    case 'stop':
    case 'disk-full':
    case 'away':
    case 'network':
      return fault.forMs
  }
}

type Chosen = { kind: Exclude<FaultKind, 'network'>; part: PartName }

function partFault(random: SeededRandom, { kind, part }: Chosen): Fault {
  switch (kind) {
    case 'kill':
      // Short, or so long that polls close meanwhile.
      return { kind, part, downMs: random.next() < 0.5 ? random.below(300) : 1000 + random.below(5000) }
    case 'stop':
      return { kind, part, forMs: 200 + random.below(4000) }
    case 'disk-full':
      return {
        kind,
        part,
        leftBytes: random.of(roomsLeft),
        forMs: 1000 + random.below(4000),
        andKilled: random.next() < 0.25,
      }
    case 'clock':
    case 'clock-beyond': {
      const byMs = random.of((part === 'relay') === (kind === 'clock') ? relayJumps : jumps)
      return { kind, part, byMs, forMs: 1500 + random.below(3000), isAtBoot: random.next() < 0.3 }
    }
    case 'copy':
      return { kind, part }
    case 'away':
      return { kind, forMs: 1000 + random.below(4000) }
  }
}

const networkFault = (random: SeededRandom): Fault => ({
  kind: 'network',
  how: random.of(hows),
  link: random.of(linkNames),
  direction: random.next() < 0.7 ? 'back' : 'there',
  forMs: 100 + random.below(2500),
})
