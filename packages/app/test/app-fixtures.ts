// The fixtures of the worker's tests: an app with its account, a page, and a bot to talk to.
import { test as base } from '@postern/testkit/fixtures'
import { TestApp } from './app-world.ts'

export const test = base
  .extend('started', async ({ world }, { onCleanup }) => {
    const started = await TestApp.begin(world)
    onCleanup(() => started.app.host.home.stop())
    return started
  })
  .extend('app', ({ started }) => started.app)
  .extend('page', ({ started }) => started.page)
  /** The same with a clock that stands still. */
  .extend('timed', async ({ world, clock }, { onCleanup }) => {
    const timed = await TestApp.begin(world, { clock })
    onCleanup(() => timed.app.host.home.stop())
    return timed
  })
