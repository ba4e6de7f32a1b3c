// Fixtures for the gateway: one that is online, one that alice talks to, one with hooks, a receiver of its webhook.
import type { ManualClock } from '@postern/testkit'
import { test as inWorld } from '@postern/testkit/fixtures'
import { onlineGateway } from './api.ts'
import { arrivedAt, deliveringTo } from './delivering.ts'
import { hookedGateway } from './hooks.ts'
import { TestReceiver } from './receiver.ts'
import { talking } from './talking.ts'

export const test = inWorld
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('receiver', async ({}, { onCleanup }) => {
    const receiver = await TestReceiver.start()
    onCleanup(() => receiver[Symbol.asyncDispose]())
    return receiver
  })
  .extend(
    'delivering',
    ({ world, alice, receiver }) =>
      (clock?: ManualClock) =>
        deliveringTo({ world, alice, receiver }, clock),
  )
  .extend(
    'arrived',
    ({ receiver }) =>
      (texts: string[]) =>
        arrivedAt(receiver, texts),
  )
  .extend('online', ({ world }) => onlineGateway(world))
  .extend('talking', ({ world, alice }) => talking(world, alice))
  .extend('hooked', ({ world, alice }) => hookedGateway(world, alice))
