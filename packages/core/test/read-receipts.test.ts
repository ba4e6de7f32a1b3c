// Receipts of reading that are turned off: none are sent, and none are shown.
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { coreOf } from './hostile/modified-client.ts'

const due = (person: TestPerson) => coreOf(person).store.all<{ read_ts: number }>('SELECT read_ts FROM receipt_due')

/** Bob has read everything, and alice has his receipt: his next message comes after it. */
async function readsAll(bob: TestPerson, alice: TestPerson, text: string): Promise<void> {
  await bob.client.messages.markRead(alice.chatId)
  await expect.poll(() => due(bob)).toEqual([])
  await bob.say(alice, text)
  await alice.hears(text)
}

test('[CORE-5.22] while they are off, an author learns that a message has arrived, and not that it was read', async ({
  world,
  alice,
  bob,
}) => {
  await bob.client.messages.setReadReceipts('off')
  const { id } = await alice.say(bob, 'one')
  await bob.hears('one')
  await expect.poll(() => alice.client.messages.get(bob.chatId, id).status).toBe('delivered')
  await expect.poll(() => due(bob)).toEqual([])
  // Nothing can be sent meanwhile: what is due is seen.
  bob.wire.cut()
  await bob.client.messages.markRead(alice.chatId)
  expect(due(bob)).toEqual([])
  expect(bob.client.chats.get(alice.chatId).unread).toBe(0)
  bob.wire.mend()
  // They stay off after a restart.
  await world.close(bob)
  const again = await world.person('bob')
  const { id: second } = await alice.say(again, 'two')
  await again.hears('two')
  await readsAll(again, alice, 'an answer')
  for (const message of [id, second]) expect(alice.client.messages.get(bob.chatId, message).status).toBe('delivered')
})

test('[CORE-5.22] while they are off, nobody else is shown as having read, and it is not kept for later', async ({
  alice,
  bob,
}) => {
  const { id } = await alice.say(bob, 'one')
  await bob.hears('one')
  await readsAll(bob, alice, 'read it')
  const statusOf = (message: typeof id) => alice.client.messages.get(bob.chatId, message).status
  expect(statusOf(id)).toBe('read')
  await alice.client.messages.setReadReceipts('off')
  expect(statusOf(id)).toBe('delivered')
  const { id: second } = await alice.say(bob, 'two')
  await bob.hears('two')
  await readsAll(bob, alice, 'read this, too')
  expect(statusOf(second)).toBe('delivered')
  const told = alice.client.journal.read(0, 1000).filter(({ json }) => json.includes(second) && json.includes('"read"'))
  expect(told).toEqual([])
  await alice.client.messages.setReadReceipts('on')
  expect([id, second].map(statusOf)).toEqual(['delivered', 'delivered'])
  const { id: third } = await alice.say(bob, 'three')
  await bob.hears('three')
  await readsAll(bob, alice, 'and this')
  expect(statusOf(third)).toBe('read')
})

test('[CORE-5.22] turned off, they take back what is due and was not sent yet', async ({ alice, bob }) => {
  await alice.say(bob, 'one')
  await bob.hears('one')
  bob.wire.cut()
  await bob.client.messages.markRead(alice.chatId)
  expect(due(bob).map(({ read_ts }) => read_ts > 0)).toEqual([true])
  await bob.client.messages.setReadReceipts('off')
  expect(due(bob)).toEqual([{ read_ts: 0 }])
  bob.wire.mend()
  await bob.client.whenOnline(WITHIN)
})
