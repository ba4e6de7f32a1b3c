// Everything that a test names exists when it begins: a world, its clocks and its people. People that are not named are
// not created.
import { ManualClock, World, type WorldOptions } from '@postern/testkit'
import { test as plain } from 'vitest'

/** A world for each test, which ends with it; a world that cannot be stopped fails its test. */
export const test = plain
  .extend('clock', () => new ManualClock(Date.now()))
  .extend('relayClock', () => new ManualClock(Date.now()))
  .extend('worldOptions', (): WorldOptions => ({}))
  .extend('world', async ({ worldOptions }, { onCleanup }) => {
    const world = await World.start(worldOptions)
    onCleanup(() => world.stop())
    return world
  })
  /** With its own relay, which knows nobody of the first. */
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('otherWorld', async ({}, { onCleanup }) => {
    const world = await World.start()
    onCleanup(() => world.stop())
    return world
  })
  .extend('alice', ({ world }) => world.person('alice'))
  .extend('bob', ({ world }) => world.person('bob'))
  .extend('carol', ({ world }) => world.person('carol'))
  .extend('mallory', ({ world }) => world.person('mallory'))
  .extend('bot', ({ world }) => world.person('bot', { bot: true }))

/** One world for all tests of a file, where making it is most of the work. */
export const testInOneWorld = plain
  .extend('worldOptions', { scope: 'file' }, (): WorldOptions => ({}))
  .extend('world', { scope: 'file' }, async ({ worldOptions }, { onCleanup }) => {
    const world = await World.start(worldOptions)
    onCleanup(() => world.stop())
    return world
  })
