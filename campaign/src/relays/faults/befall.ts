// Applies a fault and reverts it: each resolves when everything is as before, except for parts that have to recover.
import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '@postern/testkit/postgres'
import type { TcpLink } from '../../chaos/wire/tcp-link.ts'
import { relayTraffic } from '../traffic/pace.ts'
import { endHolder } from './end-backends.ts'
import { fillDisk } from './fill-disk.ts'
import { losePrimary } from './lose-primary.ts'
import { markRestored } from './mark-restored.ts'
import type { MortalRelay } from './mortal-relay.ts'
import { type RelayFault, shortened, type WayFault } from './schedule.ts'
import { holdSnapshot, slowDown } from './slow-database.ts'
import { stormLogins } from './storm.ts'
import type { Victims } from './victims.ts'

/** False when there was no target. */
export async function befallRelays(fault: RelayFault, victims: Victims): Promise<boolean> {
  switch (fault.kind) {
    case 'login-storm':
      await stormLogins(victims)
      return true
    case 'primary-lost':
      await losePrimary(fault, victims)
      return true
    case 'marked-restored':
      return await markRestored(fault, victims)
    case 'disk-full':
      return await fillDisk(fault, victims)
    case 'snapshot-held':
      return await holdSnapshot(victims, fault.forMs)
    case 'fan-out-ended':
    case 'writer-ended':
      return await endHolder(victims.cluster.primary, fault.kind)
    case 'blobs-gone':
      await loseBlobs(fault, victims)
      return true
    case 'database-killed':
    case 'database-restarted':
    case 'database-held':
    case 'database-slow':
      await befallDatabase(victims.cluster.primary, fault)
      return true
    case 'relay-killed':
    case 'relay-held':
    case 'way-broken':
      return await befallOne(fault, victims.relays)
    default:
      return fault satisfies never
  }
}

type OfDatabase = Extract<RelayFault, { kind: `database-${string}` }>

async function befallDatabase(server: PostgresServer, fault: OfDatabase): Promise<void> {
  switch (fault.kind) {
    case 'database-killed':
    case 'database-restarted':
      await (fault.kind === 'database-killed' ? server.kill() : server.stop())
      await pause(fault.awayMs)
      return await server.start()
    case 'database-held':
      server.hold()
      await pause(fault.forMs)
      return server.letGo()
    case 'database-slow':
      return await slowDown(server, fault.forMs)
    default:
      return fault satisfies never
  }
}

/** When the store is back, uploads succeed again without anybody's help. */
async function loseBlobs(
  { how, forMs }: Extract<RelayFault, { kind: 'blobs-gone' }>,
  { blobsWay, crowd, uploads, backWithinMs, report }: Victims,
): Promise<void> {
  if (how === 'refused') blobsWay.refuse()
  else blobsWay.stall()
  await pause(forMs)
  blobsWay.heal()
  const endMs = Date.now() + backWithinMs
  while (!(await uploads.put(crowd.sender)) && Date.now() < endMs) await pause(relayTraffic.tryAgainMs)
  if (Date.now() < endMs) return
  report({ wrong: 'unsettled', deed: 'blob', what: 'no upload succeeds though the store is back' })
}

type OfOne = Extract<RelayFault, { relay: number }>

/**
 * A relay in a long fault is left alone: another one is chosen, and only for a short time, so that people are still
 * served.
 */
async function befallOne(asked: OfOne, relays: readonly MortalRelay[]): Promise<boolean> {
  const free = relays.filter(({ isTaken }) => !isTaken)
  const fault = free.length < relays.length ? shortened(asked) : asked
  const relay = free[fault.relay % free.length]
  if (!relay) return false
  relay.isTaken = true
  try {
    await doTo(relay, fault)
  } finally {
    relay.isTaken = false
  }
  return true
}

async function doTo(relay: MortalRelay, fault: OfOne): Promise<void> {
  switch (fault.kind) {
    case 'relay-killed':
      await relay.kill()
      await pause(fault.awayMs)
      return relay.startAgain()
    case 'relay-held':
      relay.process.hold()
      await pause(fault.forMs)
      return relay.process.letGo()
    case 'way-broken':
      for (const way of relay.ways) breakWay(way, fault.how)
      await pause(fault.forMs)
      for (const way of relay.ways) way.heal()
      return
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
