// Groups: who is in, who sees what, and concurrent changes by all members.
import { type ChatId, isCoded } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const memberIds = (person: TestPerson, chat: ChatId) =>
  person.client.chats
    .get(chat)
    .members.map(member => member.id)
    .sort()

test('[CORE-2.1] everybody sees the same group, and hears everybody', async ({ alice, bob, carol }) => {
  const chat = await alice.createGroup('the group', [bob, carol])
  for (const person of [alice, bob, carol]) {
    expect(person.client.chats.get(chat)).toMatchObject({ type: 'group', name: 'the group', state: 'active' })
    expect(memberIds(person, chat)).toEqual([alice.id, bob.id, carol.id].sort())
    const admins = person.client.chats.get(chat).members.filter(member => member.admin)
    expect(admins.map(member => member.id)).toEqual([alice.id])
  }
  await bob.say(chat, 'hello all')
  expect((await alice.hears('hello all')).from.name).toBe('bob')
  expect((await carol.hears('hello all')).from.name).toBe('bob')
  await bob.client.chats.renameGroup(chat, 'another name', WITHIN)
  const renamed = await carol.next('chat', event => event.chat.name === 'another name')
  expect(renamed.chat_id).toBe(chat)
  const notice = await carol.next('notice', event => event.notice.code === 'renamed')
  expect(notice.notice).toMatchObject({ from: { id: bob.id }, text: 'another name' })
})

test('[CORE-2.2] who is added reads from then on', async ({ alice, bob, carol }) => {
  const chat = await alice.createGroup('the group', [bob])
  await alice.say(chat, 'before carol')
  await bob.client.chats.addMembers(chat, [carol.id], WITHIN)
  await carol.next('chat', event => event.chat_id === chat)
  await alice.next('notice', event => event.notice.code === 'joined')
  await alice.say(chat, 'after carol')
  await carol.hears('after carol')
  expect(carol.texts(chat)).toEqual(['after carol'])
})

test('[CORE-2.3, CORE-2.4] who is removed hears nothing more; only admins remove', async ({ alice, bob, carol }) => {
  const chat = await alice.createGroup('the group', [bob, carol])
  await expect(bob.client.chats.removeMembers(chat, [carol.id], WITHIN)).rejects.toSatisfy(error =>
    isCoded(error, 'not-an-admin'),
  )
  await alice.client.chats.removeMembers(chat, [carol.id], WITHIN)
  await carol.next('notice', event => event.notice.code === 'removed')
  expect(carol.client.chats.get(chat).state).toBe('left')
  await alice.say(chat, 'without carol')
  await bob.hears('without carol')
  expect(carol.texts(chat)).toEqual([])
  await expect(carol.say(chat, 'let me in')).rejects.toSatisfy(error => isCoded(error, 'chat-left'))
})

test('[CORE-2.5] who leaves is gone at once, and out of the keys with the next word', async ({ alice, bob, carol }) => {
  const chat = await alice.createGroup('the group', [bob, carol])
  await carol.client.chats.leaveGroup(chat, WITHIN)
  expect(carol.client.chats.get(chat).state).toBe('left')
  await alice.next('notice', event => event.notice.code === 'left')
  await alice.say(chat, 'she has left')
  await bob.hears('she has left')
  expect(memberIds(alice, chat)).toEqual([alice.id, bob.id].sort())
  expect(memberIds(bob, chat)).toEqual([alice.id, bob.id].sort())
  expect(carol.texts(chat)).toEqual([])
})

test('[CORE-2.2] who was removed can be added again', async ({ alice, bob, carol }) => {
  const chat = await alice.createGroup('the group', [bob, carol])
  await alice.client.chats.removeMembers(chat, [carol.id], WITHIN)
  await carol.next('notice', event => event.notice.code === 'removed')
  await alice.client.chats.addMembers(chat, [carol.id], WITHIN)
  await carol.next('chat', event => event.chat_id === chat && event.chat.state === 'active')
  await bob.say(chat, 'welcome back')
  await carol.hears('welcome back')
})

test('[CORE-14.56] who has left can be added again before a commit has removed it', async ({ alice, bob, carol }) => {
  const chat = await alice.createGroup('the group', [bob, carol])
  await carol.client.chats.leaveGroup(chat, WITHIN)
  await bob.next('notice', event => event.notice.code === 'left')
  await bob.client.chats.addMembers(chat, [carol.id], WITHIN)
  await carol.next('chat', event => event.chat_id === chat && event.chat.state === 'active')
  await alice.next('notice', event => event.notice.code === 'joined')
  expect(memberIds(alice, chat)).toEqual([alice.id, bob.id, carol.id].sort())
  await alice.say(chat, 'welcome back')
  await carol.hears('welcome back')
})

test('[CORE-2.6, CORE-2.7] commits and words at the same moment all take effect', async ({
  world,
  alice,
  bob,
  carol,
}) => {
  const chat = await alice.createGroup('the group', [bob, carol])
  const dave = await world.person('dave')
  const everybody = [alice, bob, carol]
  await Promise.all([
    alice.client.chats.renameGroup(chat, 'raced', WITHIN),
    bob.client.chats.addMembers(chat, [dave.id], WITHIN),
    ...everybody.flatMap((person, at) => [1, 2, 3, 4, 5].map(number => person.say(chat, `${at}-${number}`))),
  ])
  await alice.say(chat, 'the end')
  for (const person of [bob, carol, dave]) await person.hears('the end')
  expect(memberIds(carol, chat)).toEqual([alice.id, bob.id, carol.id, dave.id].sort())
  expect(dave.client.chats.get(chat).name).toBe('raced')
  // She sees her own messages before earlier ones of others have arrived.
  await expect.poll(() => alice.texts(chat).length).toBe(16)
  const seen = everybody.map(person => person.texts(chat))
  expect(new Set(seen[0]).size).toBe(16)
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
})
