// Groups: who is in, who sees what, and what happens when everybody changes them at once.
import { type ChatId, isCoded } from '@postern/protocol'
import { type Person, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

let world: World
let alice: Person
let bob: Person
let carol: Person

beforeEach(async () => {
  world = await World.start()
  alice = await world.person('alice')
  bob = await world.person('bob')
  carol = await world.person('carol')
})
afterEach(async () => {
  await world.stop()
})

async function groupOf(creator: Person, others: Person[]): Promise<ChatId> {
  const members = others.map(person => person.id)
  const group = await creator.client.createGroup({ name: 'the group', members }, WITHIN)
  for (const person of others) await person.next('chat', event => event.chat_id === group.id)
  return group.id as ChatId
}

const memberIds = (person: Person, chat: ChatId) =>
  person.client
    .chat(chat)
    .members.map(member => member.id)
    .sort()

test('[CORE-2.1] everybody sees the same group, and hears everybody', async () => {
  const chat = await groupOf(alice, [bob, carol])
  for (const person of [alice, bob, carol]) {
    expect(person.client.chat(chat)).toMatchObject({ type: 'group', name: 'the group', state: 'active' })
    expect(memberIds(person, chat)).toEqual([alice.id, bob.id, carol.id].sort())
    const admins = person.client.chat(chat).members.filter(member => member.admin)
    expect(admins.map(member => member.id)).toEqual([alice.id])
  }
  await bob.say(chat, 'hello all')
  expect((await alice.hears('hello all')).from.name).toBe('bob')
  expect((await carol.hears('hello all')).from.name).toBe('bob')
  await bob.client.renameGroup(chat, 'another name', WITHIN)
  const renamed = await carol.next('chat', event => event.chat.name === 'another name')
  expect(renamed.chat_id).toBe(chat)
  const notice = await carol.next('notice', event => event.notice.code === 'renamed')
  expect(notice.notice).toMatchObject({ from: { id: bob.id }, text: 'another name' })
})

test('[CORE-2.2] who is added reads from then on', async () => {
  const chat = await groupOf(alice, [bob])
  await alice.say(chat, 'before carol')
  await bob.client.addMembers(chat, [carol.id], WITHIN)
  await carol.next('chat', event => event.chat_id === chat)
  await alice.next('notice', event => event.notice.code === 'joined')
  await alice.say(chat, 'after carol')
  await carol.hears('after carol')
  expect(carol.texts(chat)).toEqual(['after carol'])
})

test('[CORE-2.3, CORE-2.4] who is removed hears nothing more; only admins remove', async () => {
  const chat = await groupOf(alice, [bob, carol])
  await expect(bob.client.removeMembers(chat, [carol.id], WITHIN)).rejects.toSatisfy(error =>
    isCoded(error, 'not-an-admin'),
  )
  await alice.client.removeMembers(chat, [carol.id], WITHIN)
  await carol.next('notice', event => event.notice.code === 'removed')
  expect(carol.client.chat(chat).state).toBe('left')
  await alice.say(chat, 'without carol')
  await bob.hears('without carol')
  expect(carol.texts(chat)).toEqual([])
  await expect(carol.say(chat, 'let me in')).rejects.toSatisfy(error => isCoded(error, 'chat-left'))
})

test('[CORE-2.5] who leaves is gone at once, and out of the keys with the next word', async () => {
  const chat = await groupOf(alice, [bob, carol])
  await carol.client.leaveGroup(chat, WITHIN)
  expect(carol.client.chat(chat).state).toBe('left')
  await alice.next('notice', event => event.notice.code === 'left')
  await alice.say(chat, 'she has left')
  await bob.hears('she has left')
  expect(memberIds(alice, chat)).toEqual([alice.id, bob.id].sort())
  expect(memberIds(bob, chat)).toEqual([alice.id, bob.id].sort())
  expect(carol.texts(chat)).toEqual([])
})

test('[CORE-2.2] who was removed can be added again', async () => {
  const chat = await groupOf(alice, [bob, carol])
  await alice.client.removeMembers(chat, [carol.id], WITHIN)
  await carol.next('notice', event => event.notice.code === 'removed')
  await alice.client.addMembers(chat, [carol.id], WITHIN)
  await carol.next('chat', event => event.chat_id === chat && event.chat.state === 'active')
  await bob.say(chat, 'welcome back')
  await carol.hears('welcome back')
})

test('[CORE-2.6, CORE-2.7] commits and words at the same moment all take effect', async () => {
  const chat = await groupOf(alice, [bob, carol])
  const dave = await world.person('dave')
  const everybody = [alice, bob, carol]
  await Promise.all([
    alice.client.renameGroup(chat, 'raced', WITHIN),
    bob.client.addMembers(chat, [dave.id], WITHIN),
    ...everybody.flatMap((person, at) => [1, 2, 3, 4, 5].map(number => person.say(chat, `${at}-${number}`))),
  ])
  await alice.say(chat, 'the end')
  for (const person of [bob, carol, dave]) await person.hears('the end')
  expect(memberIds(carol, chat)).toEqual([alice.id, bob.id, carol.id, dave.id].sort())
  expect(dave.client.chat(chat).name).toBe('raced')
  // Her own words are hers before those of others that stand above them have come.
  await expect.poll(() => alice.texts(chat).length).toBe(16)
  const seen = everybody.map(person => person.texts(chat))
  expect(new Set(seen[0]).size).toBe(16)
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
})
