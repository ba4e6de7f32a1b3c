// Chats that heal while the wire and the disk fail: nothing of an earlier try disturbs the next.
import { type ChatId, clientLimits, isCoded } from '@postern/protocol'
import { passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { holdAnswers, loseAnswers, loseCalls, mend, refuseCalls, watchCalls } from './lossy-wire.ts'

const coreOf = ({ client }: TestPerson) => client['core']

/** As if the keys of the chat were lost. */
async function breakChat(person: TestPerson, chat: ChatId): Promise<void> {
  const { store, groups } = coreOf(person)
  const broken = `UPDATE mls_group SET status = 'broken' WHERE id = (SELECT group_id FROM chat WHERE id = ?)`
  await store.write(database => database.run(broken, chat))
  groups.forgetAll()
}

const groupOf = (person: TestPerson, chat: ChatId) =>
  coreOf(person).store.get('SELECT group_id FROM chat WHERE id = ?', chat)

const statusOf = (person: TestPerson, chat: ChatId) =>
  coreOf(person).store.get<{ status: string }>(
    'SELECT status FROM mls_group WHERE id = (SELECT group_id FROM chat WHERE id = ?)',
    chat,
  )?.status

const wishesTo = (person: TestPerson) => coreOf(person).store.all('SELECT * FROM rejoin')
const askedBy = (person: TestPerson) => coreOf(person).store.all('SELECT * FROM rejoin_asked')

async function groupOfTwo(maker: TestPerson, other: TestPerson): Promise<ChatId> {
  const group = (await maker.client.chats.createGroup({ name: 'two', members: [other.id] }, WITHIN)).id
  await talk(maker, other, group)
  // The private chat in which one asks the other.
  await talk(maker, other)
  return group
}

async function loseGroup(person: TestPerson, group: ChatId): Promise<void> {
  await breakChat(person, group)
  coreOf(person).wakeChores()
}

async function talk(one: TestPerson, other: TestPerson, group?: ChatId): Promise<void> {
  await one.say(group ?? other, 'does it work?')
  await other.hears('does it work?')
  await other.say(group ?? one, 'it does')
  await one.hears('it does')
}

test('[CORE-12.3] a next generation that the relay refused leaves the chat at the one before: the others follow the next', async ({
  alice,
  bob,
}) => {
  await talk(alice, bob)
  for (let generation = 0; generation < 2; generation++) {
    await breakChat(alice, bob.chatId)
    await talk(alice, bob)
  }
  await breakChat(alice, bob.chatId)
  refuseCalls(alice, 'group-full', 'commit')
  await expect(alice.say(bob, 'refused')).rejects.toSatisfy(error => isCoded(error, 'group-full'))
  mend(alice)
  await alice.online()
  await talk(alice, bob)
  expect(groupOf(bob, alice.chatId)).toEqual(groupOf(alice, bob.chatId))
})

test('[CORE-12.4] who was added anew by a commit in doubt is not added a second time', async ({
  clock,
  world,
  bob,
}) => {
  const carol = await world.person('carol', { clock })
  const group = (await carol.client.chats.createGroup({ name: 'two', members: [bob.id] }, WITHIN)).id
  await carol.say(group, 'first')
  await bob.hears('first')
  await bob.say(carol, 'hello')
  await carol.hears('hello')
  const commits = watchCalls(carol, 'commit')
  const lost = loseAnswers(carol, 'commit')
  await breakChat(bob, group)
  coreOf(bob).wakeChores()
  await expect.poll(lost).toBe(1)
  clock.advance(clientLimits.requestTimeoutMs)
  carol.wire.incoming = frame => [frame]
  carol.wire.drop()
  await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
  await talk(carol, bob, group)
  await expect.poll(() => wishesTo(carol)).toEqual([])
  expect(new Set(commits.map(payload => payload.toString('base64'))).size).toBe(1)
})

test('[CORE-2.9] a change in doubt from before one was added anew does not stand in the way of the next', async ({
  clock,
  world,
  alice,
  bob,
}) => {
  const carol = await world.person('carol', { clock })
  const group = (await alice.client.chats.createGroup({ name: 'three', members: [bob.id, carol.id] }, WITHIN)).id
  await alice.say(group, 'first')
  await carol.hears('first')
  const lost = loseCalls(carol, 'commit')
  const renamed = carol.client.chats.renameGroup(group, 'never', WITHIN).catch((error: unknown) => error)
  await expect.poll(lost).toBe(1)
  clock.advance(WITHIN.timeoutMs)
  expect(await renamed).toSatisfy(error => isCoded(error, 'send-in-doubt'))
  carol.wire.cut()
  await alice.client.chats.removeMembers(group, [carol.id], WITHIN)
  await alice.client.chats.addMembers(group, [carol.id], WITHIN)
  await alice.say(group, 'welcome back')
  carol.wire.mend()
  await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
  await carol.hears('welcome back')
  mend(carol)
  await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
  await carol.client.chats.renameGroup(group, 'at last', WITHIN)
  await alice.next('chat', event => event.chat.name === 'at last')
})

test('[CORE-12.4] a group whose changes can be followed again can be changed again', async ({ alice, bob }) => {
  const group = (await alice.client.chats.createGroup({ name: 'two', members: [bob.id] }, WITHIN)).id
  await talk(alice, bob, group)
  await breakChat(bob, group)
  await alice.client.chats.renameGroup(group, 'followed', WITHIN)
  await bob.next('chat', event => event.chat.name === 'followed')
  // If bob has asked for it, he is added again in the meantime.
  const rename = () => bob.client.chats.renameGroup(group, 'changed', { timeoutMs: 5000 })
  const tryToRename = () =>
    rename().then(
      () => 'renamed',
      () => 'not yet',
    )
  await expect.poll(tryToRename).toBe('renamed')
})

test('[CORE-12.6] who is added anew while it is still asking, and loses the group again, asks again', async ({
  world,
  alice,
  bob,
}) => {
  const carol = await world.person('carol')
  const group = (await alice.client.chats.createGroup({ name: 'three', members: [bob.id, carol.id] }, WITHIN)).id
  await talk(alice, bob, group)
  await carol.hears('it does')
  carol.wire.cut()
  // Alice has helped before carol is asked, who comes after her and to whom bob has not spoken yet.
  const letThrough = holdAnswers(bob, 'takeKeyPackages')
  await talk(alice, bob)
  await loseGroup(bob, group)
  await expect.poll(() => statusOf(bob, group)).toBe('open')
  await loseGroup(bob, group)
  letThrough()
  await expect.poll(() => statusOf(bob, group)).toBe('open')
  await talk(bob, alice, group)
})

test('[CORE-12.6] who has added somebody anew, and hears of the next loss before the relay’s answer, does it again', async ({
  alice,
  bob,
}) => {
  const group = await groupOfTwo(alice, bob)
  const letThrough = holdAnswers(alice, 'commit')
  await loseGroup(bob, group)
  await expect.poll(() => statusOf(bob, group)).toBe('open')
  await expect.poll(() => wishesTo(alice)).toEqual([])
  await loseGroup(bob, group)
  await expect.poll(() => wishesTo(alice)).toHaveLength(1)
  letThrough()
  await expect.poll(() => statusOf(bob, group)).toBe('open')
  await talk(bob, alice, group)
})

test('[CORE-12.6] who can follow the group again, and loses it again, asks again', async ({ alice, bob }) => {
  const group = await groupOfTwo(alice, bob)
  // Alice has received the request, and cannot help yet.
  loseCalls(alice, 'takeKeyPackages')
  await loseGroup(bob, group)
  await expect.poll(() => wishesTo(alice)).toHaveLength(1)
  await expect.poll(() => askedBy(bob)).toHaveLength(1)
  await alice.client.chats.renameGroup(group, 'followed', WITHIN)
  await bob.next('chat', event => event.chat.name === 'followed')
  expect(askedBy(bob)).toEqual([])
  await loseGroup(bob, group)
  await expect.poll(() => askedBy(bob)).toHaveLength(1)
  mend(alice)
  await alice.online()
  await expect.poll(() => statusOf(bob, group)).toBe('open')
  await talk(bob, alice, group)
})
