// Keys are also renewed after many messages: here after fewer than usual, so that the test need not send them all.
import { epoch } from '@postern/mls'
import { type ChatId, clientLimits } from '@postern/protocol'
import { passTime, type TestPerson } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect, vi } from 'vitest'
import { coreOf, groupOf } from './modified-client.ts'

vi.mock(import('@postern/protocol'), async original => {
  const real = await original()
  return { ...real, clientLimits: { ...real.clientLimits, renewKeysAfterSends: 100 as never } }
})

const epochAt = async (person: TestPerson, chat: ChatId): Promise<number> =>
  epoch(await coreOf(person).groups.run(groupOf(person, chat), async live => live.session))

const test = base.extend('alice', ({ world, clock }) => world.person('alice', { clock }))

test('[CORE-14.14] after many messages, and no message waits for it', async ({ alice, bob, clock }) => {
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  const before = await epochAt(alice, bob.chatId)
  const isDue = () => coreOf(alice).store.get('SELECT 1 FROM mls_group WHERE renew_at_ms <= ?', clock.nowMs())
  const words = Array.from({ length: clientLimits.renewKeysAfterSends }, (_, at) => `${at}`)
  expect(words).toHaveLength(100)
  await Promise.all(words.map(text => alice.say(bob, text)))
  expect(isDue()).toBeDefined()
  await passTime(clock, expect.poll(() => epochAt(alice, bob.chatId)).toBeGreaterThan(before))
  expect(isDue()).toBeUndefined()
})
