// A group of twenty on two relays: relays and the database are killed and stopped while people talk, come and go.
import { setTimeout as pause } from 'node:timers/promises'
import { test as base } from '@postern/testkit/fixtures'
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import type { RelayProcess } from '@postern/testkit/processes'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { onTestFinished } from 'vitest'
import { GroupWalk } from './group-walk.ts'
import { startingUp } from './killable-parts.ts'
import { startSharedRelays } from './shared-relays.ts'

const KILLS = timesFrom('KILL_COUNT', { change: 3, campaign: 8 })
/** The minimum number of removals and additions. */
const CHANGES = 2
/** Longer than a client waits, and short enough not to need its own test. */
const HELD_MS = 3_000

if (!findPostgres()) console.warn(POSTGRES_MISSING)

base.skipIf(!findPostgres())(
  '[RELAY-7.17, RELAY-7.21] a group of twenty in which people come and go, under kills of relays and database: one order for all, nothing lost or doubled',
  { timeout: 900_000 },
  async ({ world }) => {
    const seed = seedFrom('KILL_SEED')
    console.info(`to repeat: KILL_SEED=${seed}`)
    const random = new SeededRandom(seed)
    const server = await PostgresServer.start()
    onTestFinished(() => server[Symbol.asyncDispose]())
    const { relays, relayUrl } = await startSharedRelays(startingUp(), await server.createDatabase())
    const walk = await GroupWalk.gather(world, { relayUrl, random })
    const walking = walk.run()
    // Awaited after the last kill: an earlier failure must not end the process.
    walking.catch(() => undefined)
    for (let kill = 0; kill < KILLS; kill++) {
      await walk.goesOn(2 + random.below(20))
      await Promise.all(relays.map(relay => relay.listening()))
      await befall(random, { server, relay: random.of(relays) })
    }
    while (walk.changes <= CHANGES) await walk.goesOn(1)
    walk.stop()
    await walking
    await walk.gatherAgain()
    walk.check()
    console.info(`${walk.said.length} texts, ${walk.changes} changes of members, ${KILLS} kills`)
  },
)

async function befall(random: SeededRandom, { server, relay }: { server: PostgresServer; relay: RelayProcess }) {
  const kind = random.below(4)
  if (kind === 0) {
    await server.kill()
    await pause(random.below(150))
    return await server.start()
  }
  if (kind === 1) {
    relay.hold()
    await pause(random.below(HELD_MS))
    return relay.letGo()
  }
  await relay.kill()
  await pause(random.below(150))
  relay.start()
}
