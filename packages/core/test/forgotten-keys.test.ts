// A group that is read again from the database while its last encrypted message is still on its way there.
import type { Client } from '@postern/core'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import type { Core } from '../src/context.ts'

/** As if an entry repeatedly could not be written, at the worst moments. */
function forgetAfterEachSave(client: Client): void {
  const { groups } = (client as unknown as { core: Core }).core
  const save = groups.save.bind(groups)
  groups.save = (live, change, durability) => {
    const saved = save(live, change, durability)
    groups.forgetAll()
    return saved
  }
}

test('[CORE-4.12] no key is used twice when a failed write has the group read again', async ({ alice, bob }) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
  forgetAfterEachSave(alice.client)
  const words = Array.from({ length: 30 }, (_, at) => `m${at}`)
  await Promise.all(words.map(text => alice.say(bob, text)))
  await alice.client.chats.setTimer(bob.chatId, 3_600_000, { timeoutMs: 10_000 })
  await alice.say(bob, 'last')
  await bob.hears('last')
  expect(bob.texts(alice)).toEqual(['first', ...words, 'last'])
})
