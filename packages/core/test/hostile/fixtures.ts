// A team of four for each test, in one world with hurried clocks: alice is the admin, mallory breaks the rules.
import { testInOneWorld } from '@postern/testkit/fixtures'
import { HurriedClock } from './hurried-clock.ts'
import { castTeam } from './team.ts'

/** One world and one hurried clock for all tests of a file. */
export const testInHurry = testInOneWorld
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('clock', { scope: 'file' }, async ({}, { onCleanup }) => {
    const clock = new HurriedClock()
    onCleanup(() => clock.stop())
    return clock
  })

export const test = testInHurry
  .extend('worldOptions', { scope: 'file' }, { relayLimits: { newPeoplePerDay: 1000 } })
  .extend('team', ({ world, clock }) => castTeam(world, { clock }))
  .extend('alice', ({ team }) => team.alice)
  .extend('bob', ({ team }) => team.bob)
  .extend('carol', ({ team }) => team.carol)
  .extend('mallory', ({ team }) => team.mallory)
  .extend('chat', ({ team }) => team.chat)
