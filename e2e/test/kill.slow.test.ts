// kill -9 of the relay, of the gateway and of people during traffic, at random points, repeatedly.
import { setTimeout as pause } from 'node:timers/promises'
import type { Killable } from '@postern/testkit/processes'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { expect, test } from 'vitest'
import { checkTold } from './kill-check.ts'
import { openChats, settled, Traffic } from './kill-traffic.ts'
import { expectAlive, startParts } from './killable-parts.ts'
import { EchoOperator } from './operator.ts'
import { expectSoundFile } from './relay-database.ts'
import { StreamConsumer } from './stream-consumer.ts'
import { Tally } from './tally.ts'

const KILLS = timesFrom('KILL_COUNT', { change: 4, campaign: 14 })

test('[RELAY-2.15, CORE-8.3, CORE-11.3, GATEWAY-5.19] kill -9 of relay, gateway and people under traffic loses nothing, repeats nothing, keeps one order', async () => {
  const seed = seedFrom('KILL_SEED')
  console.info(`to repeat: KILL_SEED=${seed}`)
  const random = new SeededRandom(seed)
  const parts = await startParts(['alice', 'bob', 'carol'])
  const chats = await openChats(parts)
  const polled = new Tally()
  const wantsEcho = (text: string) => !text.startsWith('echo')
  const operator = new EchoOperator(parts.gateway, { random, wantsEcho, onUpdate: () => polled.add() })
  const consumer = await StreamConsumer.begin(parts.gateway)
  const operating = operator.run()
  const traffic = new Traffic(random, chats)
  const talking = Promise.all(parts.people.map(person => traffic.run(person)))
  // Awaited after the last kill: an earlier failure must not end the process.
  talking.catch(() => undefined)

  // The first kill, whatever the seed is: updates that the stream has not sent are left for the next life.
  await traffic.goesOn(2)
  await consumer.leave()
  while (Math.max(...operator.updates.keys()) <= consumer.lastId) await polled.more(1)
  await parts.gateway.kill()
  parts.gateway.start()
  consumer.read()

  for (let kill = 1; kill < KILLS; kill++) {
    await traffic.goesOn(2 + random.below(30))
    const victim = random.of<Killable>([parts.relay, parts.gateway, random.of(parts.people)])
    // Into a burst: the narrow moments between a relay's answer and its reader's write are hit more often.
    traffic.burst(parts.people)
    await pause(random.below(40))
    await victim.kill()
    await pause(random.below(150))
    victim.start()
    expectAlive(parts)
  }

  // However slow the machine is: the checked deeds must have happened.
  await operator.hasAcknowledged()
  traffic.stop()
  await talking
  await settled(parts, operator, chats.group)
  operator.stop()
  await operating
  await consumer.receivesAll(operator.updates)
  await consumer.leave()
  for (const part of [parts.gateway, ...parts.people, parts.relay]) await part.kill()
  expect(consumer.resumed, 'the stream was resumed').toBeGreaterThan(0)
  expect(traffic.sent.length, 'there was traffic').toBeGreaterThan(KILLS)
  await expectSoundFile(parts.relay.directory)
  checkTold(parts, { traffic, operator })
}, 600_000)
