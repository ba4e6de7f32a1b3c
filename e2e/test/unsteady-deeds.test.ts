// Votes, presses, files, deletions and restarts of clients over wires that fail: all see the same, and each press once.
// POSTERN_UNSTEADY_SEED repeats a failure; POSTERN_UNSTEADY_ROUNDS looks harder for one.
import type { World } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { SeededRandom, seedFrom } from '@postern/testkit/random'
import { expect } from 'vitest'
import { disturb, fillRelay, pause, type RelayRoom } from './disturb.ts'
import {
  answerAll,
  doSomething,
  type Matter,
  newTally,
  pictureOf,
  pressesHeard,
  raise,
  type Tally,
  toastsSeen,
} from './unsteady-deeds.ts'
import { type Gathering, gather, lastWords, reopen, troublesOf, type Unsteady } from './unsteady-people.ts'

const SEED = seedFrom('POSTERN_UNSTEADY_SEED')
const ROUNDS = Number(process.env['POSTERN_UNSTEADY_ROUNDS'] ?? 1)
const BURSTS_PER_ROUND = 5
const DEEDS_PER_BURST = 12

type Scene = { world: World; room: RelayRoom; gathering: Gathering; bot: Unsteady }

const test = base
  .extend('room', (): RelayRoom => ({}))
  .extend('worldOptions', ({ room }) => ({ relayLimits: room }))
  /** A bot and people, over wires that fail. */
  .extend('scene', async ({ world, room }): Promise<Scene> => {
    const gathering = await gather(world, { bot: true })
    return { world, room, gathering, bot: gathering.people[0] as Unsteady }
  })

async function disturbMore({ world, room, gathering, bot }: Scene, random: SeededRandom): Promise<void> {
  const what = random.below(4)
  if (what < 2) return await disturb(world, gathering, random)
  if (what < 3) return await fillRelay(world, room, random)
  const one = random.of(gathering.people)
  await reopen(world, one, { bot: one === bot })
}

type Round = { matters: Matter[]; tally: Tally; random: SeededRandom }

async function round(scene: Scene, { matters, tally, random }: Round): Promise<void> {
  const done: Promise<void>[] = []
  for (let burst = 0; burst < BURSTS_PER_ROUND; burst++) {
    for (const matter of matters)
      for (let deed = 0; deed < DEEDS_PER_BURST; deed++)
        done.push(doSomething({ matter, one: random.of(matter.talk.people), tally }, random))
    await pause(random.below(60))
    await disturbMore(scene, random)
    done.push(answerAll(scene.bot, tally, random))
  }
  await Promise.all(done)
}

test('[CORE-6.2, CORE-6.8, CORE-6.10] all see the same in the end, and each press and its answer once', {
  timeout: 180_000 * ROUNDS,
}, async ({ scene }) => {
  const { gathering, bot } = scene
  process.stdout.write(`POSTERN_UNSTEADY_SEED=${SEED}\n`)
  const random = new SeededRandom(SEED)
  const tally = newTally()
  for (let number = 0; number < ROUNDS; number++) {
    const matters: Matter[] = []
    for (const talk of gathering.talks) matters.push(await raise(talk, bot))
    await round(scene, { matters, tally, random })
    await lastWords(gathering, `the end of round ${number}`)
    for (const matter of matters)
      for (const one of matter.talk.people)
        await expect.poll(() => pictureOf(matter, one)).toEqual(pictureOf(matter, bot))
  }
  expect(tally.faults).toEqual([])
  const heard = pressesHeard(bot.person)
  expect(heard.length).toBe(new Set(heard).size)
  expect([...tally.pressed].filter(press => !heard.includes(press))).toEqual([])
  expect(heard.length).toBeLessThanOrEqual(tally.pressed.size + tally.mayBePressed)
  const seen = gathering.people.flatMap(({ person }) => toastsSeen(person))
  expect(seen.length).toBe(new Set(seen).size)
  expect([...tally.answered].filter(press => !seen.includes(press))).toEqual([])
  const texts = gathering.people.flatMap(one => troublesOf(one))
  expect(texts).toEqual([])
})
