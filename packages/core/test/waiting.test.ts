// Sends that wait for the relay's answer, as a screen shows them.
import { openNodeClient } from '@postern/core/node'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { type Pass, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const withoutAnswers: Pass = bytes => (decodeRelayFrame(bytes.slice()).kind === 'answer' ? [] : [bytes])

test('[CORE-23.8] it waits, then it is in doubt, over a restart, and then it is settled', async ({ world, bob }) => {
  let alice = await world.person('alice')
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  expect(alice.client.messages.waiting(bob.chatId)).toEqual([])

  const told: string[] = []
  alice.client.onChange(topics => told.push(...topics))
  alice.wire.incoming = withoutAnswers
  const idempotency = { key: 'key 1', request: new Uint8Array(32) }
  const sent = alice.client.messages.sendText(bob.chatId, { text: 'well?' }, { timeoutMs: 1500, idempotency })
  const outcome = sent.catch((error: unknown) => error)
  const waiting = () => alice.client.messages.waiting(bob.chatId)
  await expect.poll(waiting).toHaveLength(1)
  expect(waiting()).toEqual([
    { sendId: expect.any(String), key: 'key 1', kind: 'text', since_ms: expect.any(Number), inDoubt: false },
  ])
  await bob.hears('well?')
  told.splice(0)
  expect(await outcome).toMatchObject({ code: 'send-in-doubt' })
  await expect.poll(() => told).toContain(`waiting:${bob.chatId}`)
  const [doubt] = waiting()
  expect(doubt).toMatchObject({ key: 'key 1', inDoubt: true })
  expect(alice.texts(bob)).toEqual(['hello'])

  await world.close(alice)
  const asleep = await openNodeClient({
    directory: alice.directory,
    acceptRequests: 'all',
    firstStart: () => expect.fail('alice has an account'),
  })
  expect(asleep.messages.waiting(bob.chatId)).toEqual([doubt])
  await asleep.stop()
  alice = await world.person('alice')
  await expect.poll(waiting).toEqual([])
  expect(alice.texts(bob)).toEqual(['hello', 'well?'])
  expect(await alice.client.messages.findSent(bob.chatId, { ...WITHIN, idempotency })).toMatchObject({ text: 'well?' })
})
