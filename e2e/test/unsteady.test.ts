// Many concurrent sends over wires that fail at any moment: nothing that was acknowledged is lost or doubled, for
// anybody. POSTERN_UNSTEADY_SEED repeats a failure; POSTERN_UNSTEADY_ROUNDS and POSTERN_UNSTEADY_BURST look harder for
// one.
import { test as base } from '@postern/testkit/fixtures'
import { SeededRandom, seedFrom } from '@postern/testkit/random'
import { expect } from 'vitest'
import { disturb, pause } from './disturb.ts'
import { Ledger, remark, sayAndNote } from './unsteady-ledger.ts'
import { gather, lastWords, picturesOf, textsOf, troublesOf } from './unsteady-people.ts'

const SEED = seedFrom('POSTERN_UNSTEADY_SEED')
const ROUNDS = Number(process.env['POSTERN_UNSTEADY_ROUNDS'] ?? 1)
const BURST_MAX = Number(process.env['POSTERN_UNSTEADY_BURST'] ?? 40)
const BURSTS_PER_ROUND = 5
const REMARKS_PER_BURST = 3

const test = base
  .extend('gathering', ({ world }) => gather(world))
  .extend(
    'round',
    ({ world, gathering }) =>
      async (number: number, { ledger, random }: { ledger: Ledger; random: SeededRandom }): Promise<void> => {
        const said: Promise<void>[] = []
        for (let burst = 0; burst < BURSTS_PER_ROUND; burst++) {
          for (const talk of gathering.talks) {
            const speaker = random.of(talk.people)
            const words = Array.from({ length: random.below(BURST_MAX) }, (_, at) => `${number}.${burst}.${at}`)
            for (const word of words) said.push(sayAndNote(ledger, { talk, speaker, word }, random))
            for (let at = 0; at < REMARKS_PER_BURST; at++)
              said.push(remark(ledger, { talk, speaker: random.of(talk.people) }, random))
          }
          await pause(random.below(60))
          await disturb(world, gathering, random)
        }
        await Promise.all(said)
      },
  )

test('[CORE-4.1, CORE-4.3] nothing that was acknowledged is lost or doubled', {
  timeout: 180_000 * ROUNDS,
}, async ({ round, gathering }) => {
  process.stdout.write(`POSTERN_UNSTEADY_SEED=${SEED}\n`)
  const random = new SeededRandom(SEED)
  const ledger = new Ledger()
  for (let number = 0; number < ROUNDS; number++) {
    await round(number, { ledger, random })
    await lastWords(gathering, `the end of round ${number}`)
    for (const talk of gathering.talks) {
      expect(ledger.complaints(talk.name, textsOf(talk)).slice(0, 20)).toEqual([])
      const pictures = picturesOf(talk)
      expect(pictures).toEqual(pictures.map(() => pictures[0]))
    }
  }
  expect(ledger.faults).toEqual([])
  expect([...gathering.people, gathering.guest].flatMap(troublesOf)).toEqual([])
})
