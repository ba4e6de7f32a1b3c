// Random histories with attackers among the members:
// honest people end up with one group, the same people and every message.
import { SeededRandom, type World } from '@postern/testkit'
import { timesFrom } from '@postern/testkit/random'
import { describe, onTestFailed } from 'vitest'
import { testInHurry } from './fixtures.ts'
import type { HurriedClock } from './hurried-clock.ts'
import { RandomHistory } from './random-history.ts'

const STEPS = 24
let histories = 0

/** Each of these has found a fault. A change has to pass the first; a campaign runs all. Others: HISTORY_SEEDS=100,101. */
const FOUND = [7, 14, 26, 48, 106, 2016, 4051, 7007, 1, 3, 5, 24, 4020, 4029, 6037, 20062, 20200, 20238, 30009]
const FIRST = FOUND.slice(0, timesFrom('HISTORIES', { change: 8, campaign: FOUND.length }))
/** The first ones are also played with farewells. */
const WITH_FAREWELLS = process.env['HISTORY_SEEDS'] ? Number.POSITIVE_INFINITY : 2
const SEEDS = process.env['HISTORY_SEEDS']?.split(',').map(Number) ?? FIRST

const test = testInHurry.extend('worldOptions', { scope: 'file' }, () => ({
  relayLimits: { newPeoplePerDay: 100_000, takesPerMinute: 10_000, takesPerTargetPerMinute: 10_000 },
}))

type Played = { seed: number; world: World; clock: HurriedClock; withFarewells?: boolean }

async function play({ seed, world, clock, ...options }: Played): Promise<void> {
  const random = new SeededRandom(seed)
  const attackers = 1 + random.below(4)
  const history = await RandomHistory.begin(random, {
    world,
    clock,
    name: `${seed} ${++histories}`,
    attackers,
    ...options,
  })
  onTestFailed(({ task }) => {
    const why = task.result?.errors?.map(error => `${error.message}\n${error.actual}`).join()
    process.stderr.write(`seed ${seed}\n${history.done.join('\n')}\n${why}\n`)
  })
  for (let number = 1; number <= STEPS; number++) await history.step(number)
  await history.expectAgreement()
}

describe('[CORE-14.33] whatever members with modified clients do', () => {
  test.for(SEEDS)('the honest ones agree, and every word is heard once (seed %d)', async (seed, { clock, world }) => {
    await play({ seed, world, clock })
  })

  test.for(SEEDS.slice(0, WITH_FAREWELLS))(
    '[CORE-14.58] also when they say farewell (seed %d)',
    async (seed, { clock, world }) => {
      await play({ seed, world, clock, withFarewells: true })
    },
  )
})
