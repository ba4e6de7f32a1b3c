// Applies a fault and reverts it: each resolves when everything is as before, except for parts that have to recover.
import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '@postern/testkit/postgres'
import type { TcpLink } from '../../chaos/wire/tcp-link.ts'
import { endHolder } from './end-backends.ts'
import type { MortalRelay } from './mortal-relay.ts'
import { type RelayFault, shortened, type WayFault } from './schedule.ts'

export type Victims = { relays: readonly MortalRelay[]; server: PostgresServer; database: string }

/** Of a hundred milliseconds. */
const SLOW_HELD_MS = 90
const SLOW_RUNS_MS = 10

/** The name under which it is counted; undefined when there was no target. */
export async function befallRelays(fault: RelayFault, victims: Victims): Promise<string | undefined> {
  switch (fault.kind) {
    case 'database-killed':
      await victims.server.kill()
      await pause(fault.awayMs)
      await victims.server.start()
      return fault.kind
    case 'database-held':
      victims.server.hold()
      await pause(fault.forMs)
      victims.server.letGo()
      return fault.kind
    case 'database-slow':
      await slowDown(victims.server, fault.forMs)
      return fault.kind
    case 'snapshot-held':
      return (await holdSnapshot(victims, fault.forMs)) ? fault.kind : undefined
    case 'fan-out-ended':
    case 'writer-ended':
      return (await endHolder(victims.server, fault.kind)) ? fault.kind : undefined
    case 'relay-killed':
    case 'relay-held':
    case 'way-broken':
      return await befallOne(fault, victims.relays)
    default:
      return fault satisfies never
  }
}

async function slowDown(server: PostgresServer, forMs: number): Promise<void> {
  for (let leftMs = forMs; leftMs > 0; leftMs -= SLOW_HELD_MS + SLOW_RUNS_MS) {
    server.hold()
    await pause(SLOW_HELD_MS)
    server.letGo()
    await pause(SLOW_RUNS_MS)
  }
}

/** False when the server was killed meanwhile. */
async function holdSnapshot({ server, database }: Victims, forMs: number): Promise<boolean> {
  const hold = `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM account; SELECT pg_sleep(${forMs / 1000}); COMMIT`
  const held = server.sql(hold, new URL(database).pathname.slice(1))
  return await held.then(
    () => true,
    () => false,
  )
}

type OfOne = Extract<RelayFault, { relay: number }>

/**
 * A relay in a long fault is left alone: another one is chosen, and only for a short time, so that people are still
 * served.
 */
async function befallOne(asked: OfOne, relays: readonly MortalRelay[]): Promise<string | undefined> {
  const free = relays.filter(({ isTaken }) => !isTaken)
  const fault = free.length < relays.length ? shortened(asked) : asked
  const relay = free[fault.relay % free.length]
  if (!relay) return undefined
  relay.isTaken = true
  try {
    return await doTo(relay, fault)
  } finally {
    relay.isTaken = false
  }
}

async function doTo(relay: MortalRelay, fault: OfOne): Promise<string> {
  switch (fault.kind) {
    case 'relay-killed':
      await relay.kill()
      await pause(fault.awayMs)
      relay.startAgain()
      return fault.kind
    case 'relay-held':
      relay.process.hold()
      await pause(fault.forMs)
      relay.process.letGo()
      return fault.kind
    case 'way-broken':
      breakWay(relay.way, fault.how)
      await pause(fault.forMs)
      relay.way.heal()
      return `way ${fault.how}`
    default:
      return fault satisfies never
  }
}

function breakWay(way: TcpLink, how: WayFault): void {
  switch (how) {
    case 'reset':
      return way.cut()
    case 'silent':
      return way.stall()
    case 'answers-lost':
      return way.lose('back')
    case 'requests-lost':
      return way.lose('there')
    case 'cut-short':
      return way.cutShort('back')
    case 'refused':
      return way.refuse()
    default:
      return how satisfies never
  }
}
