// A process that ends in the middle of its work: the next one on the same data settles everything that was left.
import { type ChatId, clientLimits, GROUP_ID_BYTES, groupIdFromBytes, isCoded } from '@postern/protocol'
import { ManualClock, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { SendSlots } from '../src/groups/send-slots.ts'
import { loseAnswers, loseCalls } from './lossy-wire.ts'

const MANY = clientLimits.unsettledPerGroupMax

const waiting = (person: TestPerson) => person.client['core'].store.all('SELECT 1 FROM outbox').length

const test = base
  /**
   * As many as may wait for the relay's answer, and a few that wait for their turn. The process ends with all of them.
   */
  .extend('endWithMany', ({ world, alice }) => async (chat: ChatId, areUnderWay: () => boolean): Promise<void> => {
    const said = Array.from({ length: MANY + 10 }, (_, at) => alice.say(chat, `m${at}`))
    const settled = Promise.allSettled(said)
    await expect.poll(() => waiting(alice) === MANY && areUnderWay()).toBe(true)
    await world.close(alice)
    expect((await settled).filter(one => one.status === 'fulfilled')).toEqual([])
  })
  /** The relay gets none of them. */
  .extend('endUnheard', ({ alice, endWithMany }) => async (chat: ChatId): Promise<void> => {
    const lost = loseCalls(alice, 'appendMarked')
    await endWithMany(chat, () => lost() >= MANY)
  })
  /** The relay has them all, and alice does not know. */
  .extend('endUnanswered', ({ alice, bob, endWithMany }) => async (): Promise<void> => {
    // Includes calls of the chores: one round of them, as for a name that came late, would settle what must stay open.
    loseAnswers(alice, 'appendMarked', 'outcome')
    await endWithMany(bob.chatId, () => bob.texts(alice).length === 1 + MANY)
  })
  .extend('sayMany', ({ bob }) => async (speaker: TestPerson, chat: ChatId): Promise<void> => {
    await Promise.all(Array.from({ length: MANY + 10 }, (_, at) => speaker.say(chat, `again ${at}`)))
    await bob.hears(`again ${MANY + 9}`)
  })

test.beforeEach(async ({ alice, bob }) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
})

test('[CORE-4.4, CORE-4.10] what never reached the relay is given up, and its places are free', async ({
  world,
  alice,
  bob,
  endUnheard,
  sayMany,
}) => {
  await endUnheard(bob.chatId)
  await world.stopRelay()
  const opening = world.person('alice')
  await world.startRelay()
  alice = await opening
  expect(waiting(alice)).toBe(0)
  await sayMany(alice, bob.chatId)
  expect(alice.texts(bob)).toEqual(bob.texts(alice))
  expect(bob.texts(alice)).toHaveLength(1 + MANY + 10)
})

test('[CORE-4.4, CORE-4.10] what the relay has stands in the history, once', async ({
  world,
  alice,
  bob,
  endUnanswered,
  sayMany,
}) => {
  await endUnanswered()
  alice = await world.person('alice')
  expect(waiting(alice)).toBe(0)
  await sayMany(alice, bob.chatId)
  expect(alice.texts(bob)).toEqual(bob.texts(alice))
  expect(bob.texts(alice)).toHaveLength(1 + MANY + MANY + 10)
})

test('[CORE-4.4] also in a group from which one was removed meanwhile', async ({
  world,
  alice,
  bob,
  endUnheard,
  sayMany,
}) => {
  const group = (await bob.client.chats.createGroup({ name: 'team', members: [alice.id] }, WITHIN)).id
  await bob.say(group, 'welcome')
  await alice.hears('welcome')
  await endUnheard(group)
  await bob.client.chats.removeMembers(group, [alice.id], WITHIN)
  alice = await world.person('alice')
  expect(waiting(alice)).toBe(0)
  await alice.next('notice', event => event.notice.code === 'removed')
  await bob.client.chats.addMembers(group, [alice.id], WITHIN)
  await bob.say(group, 'welcome back')
  await alice.hears('welcome back')
  await sayMany(alice, group)
})

test('[CORE-12.1, CORE-12.5] also when it was restored from a backup: what was said since then is not lost, and no key is used twice', async ({
  world,
  alice,
  bob,
  endUnanswered,
  sayMany,
}) => {
  await endUnanswered()
  alice = await world.backUp(alice)
  await alice.say(bob, 'since the backup')
  await bob.say(alice, 'to be read again')
  await alice.hears('to be read again')
  alice = await world.restore(alice)
  expect(waiting(alice)).toBe(0)
  await sayMany(alice, bob.chatId)
  expect(bob.texts(alice)).toHaveLength(1 + MANY + 2 + MANY + 10)
  expect(alice.texts(bob)).toEqual(bob.texts(alice).filter(text => text !== 'since the backup'))
})

test('[CORE-4.11] once the client stops, nobody waits for a place any more', async () => {
  const group = groupIdFromBytes(new Uint8Array(GROUP_ID_BYTES))
  const slots = new SendSlots(new ManualClock(), [{ group, count: MANY }])
  const early = slots.reserve(group, WITHIN.timeoutMs)
  slots.stop()
  await expect(early).rejects.toSatisfy(error => isCoded(error, 'stopping'))
  await expect(slots.reserve(group, WITHIN.timeoutMs)).rejects.toSatisfy(error => isCoded(error, 'stopping'))
})
