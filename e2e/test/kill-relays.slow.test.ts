// Two relays on one database behind a balancer. Relays, the database, the bot and people are killed at random points, a
// relay is stopped for longer than anybody waits, and the primary is lost permanently.
import { setTimeout as pause } from 'node:timers/promises'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { PostgresCluster } from '@postern/testkit/postgres-cluster'
import type { RelayProcess } from '@postern/testkit/processes'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { expect, onTestFinished, test } from 'vitest'
import { checkTold } from './kill-check.ts'
import { openChats, settled, Traffic } from './kill-traffic.ts'
import { expectAlive, startingUp, startTalking, type Talking } from './killable-parts.ts'
import { EchoOperator } from './operator.ts'
import { startSharedRelays } from './shared-relays.ts'

const KILLS = timesFrom('KILL_COUNT', { change: 4, campaign: 12 })
/** Longer than the relay and the database wait for each other. */
const HELD_MS = 20_000

if (!findPostgres()) console.warn(POSTGRES_MISSING)

test.skipIf(!findPostgres())(
  '[RELAY-7.17] kill -9 of relays and of their database, a relay that stood still and a primary that is lost: nothing is lost or doubled, and there is one order',
  async () => {
    const seed = seedFrom('KILL_SEED')
    console.info(`to repeat: KILL_SEED=${seed}`)
    const random = new SeededRandom(seed)
    const cluster = await PostgresCluster.start()
    onTestFinished(() => cluster[Symbol.asyncDispose]())
    const parts = await startShared(await cluster.createDatabase())
    const chats = await openChats(parts)
    const operator = new EchoOperator(parts.gateway, { random, wantsEcho: text => !text.startsWith('echo') })
    const operating = operator.run()
    const traffic = new Traffic(random, chats)
    const talking = Promise.all(parts.people.map(person => traffic.run(person)))
    // Awaited after the last kill: an earlier failure must not end the process.
    talking.catch(() => undefined)

    const held = holdOne(parts.relays)
    for (let kill = 0; kill < KILLS; kill++) {
      await traffic.goesOn(2 + random.below(30))
      // A relay that starts without a database reports that and ends: its supervisor starts it again.
      await Promise.all(parts.relays.map(relay => relay.listening()))
      traffic.burst(parts.people)
      await pause(random.below(40))
      if (kill === Math.floor(KILLS / 2)) await cluster.failOver()
      else await killOne(parts, { cluster, random })
      expectAlive(parts)
    }
    await held

    await operator.hasAcknowledged()
    traffic.stop()
    await talking
    await settled(parts, operator, chats.group)
    operator.stop()
    await operating
    for (const part of [parts.gateway, ...parts.people, ...parts.relays]) await part.kill()
    expect(traffic.sent.length, 'there was traffic').toBeGreaterThan(KILLS)
    checkTold(parts, { traffic, operator })
  },
  600_000,
)

async function startShared(database: string): Promise<Talking> {
  const up = startingUp()
  const { relays, relayUrl } = await startSharedRelays(up, database)
  return { ...(await startTalking(['alice', 'bob', 'carol'], { ...up, relayUrl })), relays }
}

/** When it wakes, it believes that it still has its roles: the fan-out, and the connections of devices. */
async function holdOne(relays: RelayProcess[]): Promise<void> {
  const [held] = relays.splice(0, 1) as [RelayProcess]
  held.hold()
  await pause(HELD_MS)
  held.letGo()
  relays.push(held)
}

async function killOne(parts: Talking, { cluster, random }: { cluster: PostgresCluster; random: SeededRandom }) {
  if (random.below(4) === 0) {
    await cluster.primary.kill()
    await pause(random.below(150))
    return await cluster.primary.start()
  }
  const victim = random.of([...parts.relays, ...parts.relays, parts.gateway, random.of(parts.people)])
  await victim.kill()
  await pause(random.below(150))
  victim.start()
}
