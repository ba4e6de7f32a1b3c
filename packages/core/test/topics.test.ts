// The topics that a commit touches: every view that changes is reported, whatever wrote it.
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { coreOf } from './hostile/modified-client.ts'

const LIMIT = 200
/** A view of a chat that did not exist yet. */
const NOTHING = '[]'

/** Every view of a client as JSON, under the topic that must be reported when it changes. */
function viewsOf({ client }: TestPerson, known: TestPerson[]): Map<string, string> {
  const chats = client.chats.overview()
  const people = known.map(person => client.identity.profileOf(person.id))
  const views = new Map<string, unknown>([
    ['me', client.identity.me()],
    ['chats', chats],
    ['people', people],
    ['records:draft', client.records('draft').all()],
  ])
  for (const { id } of chats) {
    views.set(`chat:${id}`, [client.chats.get(id), client.messages.history(id, { limit: LIMIT })])
    views.set(`waiting:${id}`, client.messages.waiting(id))
  }
  return new Map([...views].map(([topic, view]) => [topic, JSON.stringify(view)]))
}

/** Compares every view after every commit, and collects changes that were not reported. */
function watched(person: TestPerson, known: TestPerson[]) {
  const missed: string[] = []
  const changes = new Set<string>()
  let before = viewsOf(person, known)
  let changed: string[] = []
  const told = new Set<string>()
  const settle = () => {
    for (const topic of changed) {
      changes.add(topic)
      if (!told.has(topic)) missed.push(topic)
    }
    changed = []
    told.clear()
  }
  const look = () => {
    const now = viewsOf(person, known)
    changed.push(...[...now.keys()].filter(topic => now.get(topic) !== (before.get(topic) ?? NOTHING)))
    before = now
  }
  const ends = [
    // Before the topics of the same commit are reported.
    coreOf(person).store.onCommit(() => {
      settle()
      look()
    }),
    person.client.onChange(topics => {
      for (const topic of topics) told.add(topic)
      look()
    }),
  ]
  return {
    end: () => {
      for (const end of ends) end()
      settle()
      return { missed, changes }
    },
  }
}

const inRelayTime = test.extend('worldOptions', ({ clock }) => ({ relayClock: clock }))

inRelayTime(
  '[CORE-23.7] through a long life no view changes without its topic',
  { timeout: 120_000 },
  async ({ clock, world, bob, carol, bot, mallory }) => {
    const alice = await world.person('alice', { clock, acceptRequests: 'contacts' })
    const { messages, chats, identity } = alice.client
    const watch = watched(alice, [alice, bob, carol, bot, mallory])

    await alice.openInvite(bot.client.identity.me().inviteUrl)
    await alice.say(bob, 'hello bob')
    await bob.hears('hello bob')
    const said = await bob.say(alice, 'hello alice')
    await alice.hears('hello alice')
    await messages.markRead(bob.chatId)
    clock.advance(1000)
    await bob.next('receipt', event => event.receipt.status === 'read')
    await bob.client.messages.edit(alice.chatId, { message: said.id, text: 'hello, alice' }, WITHIN)
    await alice.next('edited')
    await messages.react(bob.chatId, { message: said.id, emoji: '👍' }, WITHIN)
    await bob.client.messages.react(alice.chatId, { message: said.id, emoji: '🎉' }, WITHIN)
    await alice.next('reaction')
    const asked = await messages.sendPoll(
      bob.chatId,
      { question: 'Tea?', options: ['yes', 'no'], multiple: false },
      WITHIN,
    )
    await bob.next('message', event => event.message.id === asked.id)
    await bob.client.messages.vote(alice.chatId, { message: asked.id, options: [1] }, WITHIN)
    await alice.next('poll')
    await messages.vote(bob.chatId, { message: asked.id, options: [0] }, WITHIN)
    await messages.closePoll(bob.chatId, asked.id, WITHIN)
    await alice.next('poll', event => event.message.poll?.closed === true)
    await bob.client.messages.markRead(alice.chatId)
    await alice.next('receipt', event => event.receipt.status === 'read')
    await bob.client.messages.delete(alice.chatId, { message: said.id, for: 'all' }, WITHIN)
    await alice.next('deleted')
    await messages.delete(bob.chatId, { message: asked.id, for: 'me' }, WITHIN)

    const buttons = [[{ text: 'Yes', data: 'yes' }]]
    const offered = await bot.client.messages.sendText(alice.chatId, { text: 'Well?', buttons }, WITHIN)
    await alice.hears('Well?')
    await messages.press(bot.chatId, { message: offered.id, data: 'yes' }, WITHIN)
    await messages.call(bot.chatId, WITHIN)
    await alice.next('notice', event => event.notice.code === 'call_declined')

    const group = (await chats.createGroup({ name: 'team', members: [bob.id, bot.id] }, WITHIN)).id
    await chats.addMembers(group, [carol.id], WITHIN)
    await chats.renameGroup(group, 'the team', WITHIN)
    await bob.next('notice', event => event.notice.code === 'renamed')
    await bob.client.chats.renameGroup(group, 'our team', WITHIN)
    await alice.next('notice', event => event.notice.code === 'renamed')
    await carol.next('chat', event => event.chat_id === group)
    const waved = await alice.say(group, 'all here?')
    await carol.hears('all here?')
    await carol.client.messages.react(group, { message: waved.id, emoji: '👋' }, WITHIN)
    await alice.next('reaction')
    await carol.client.chats.leaveGroup(group, WITHIN)
    await alice.next('notice', event => event.notice.code === 'left')
    await alice.say(group, 'she has left')
    await carol.client.identity.setProfile({ name: 'caroline' })
    await bob.client.identity.setProfile({ name: 'robert', about: 'a new one' })
    await expect.poll(() => identity.profileOf(bob.id)).toMatchObject({ about: 'a new one' })
    await identity.setProfile({ name: 'alicia', about: 'me' })
    await identity.newInvite()
    await chats.removeMembers(group, [bot.id], WITHIN)

    await mallory.say(alice, 'let me in')
    await alice.next('chat', event => event.chat.state === 'request')
    await chats.accept(mallory.chatId)
    await alice.hears('let me in')

    await chats.setTimer(bob.chatId, 1000, WITHIN)
    await alice.say(bob, 'burn after reading')
    clock.advance(2000)
    await alice.next('expired')
    await alice.client.records('draft').change({ key: bob.chatId, put: 'half a sen' })
    await chats.leaveGroup(group, WITHIN)

    const { missed, changes } = watch.end()
    expect(missed).toEqual([])
    const lived = ['me', 'chats', 'people', 'records:draft', `chat:${bob.chatId}`, `chat:${group}`]
    lived.push(`waiting:${bob.chatId}`)
    expect([...changes]).toEqual(expect.arrayContaining(lived))
  },
)

test('[CORE-23.7] what is rolled back has touched nothing, and what no view shows neither', async ({ alice }) => {
  const { store } = coreOf(alice)
  const told: string[][] = []
  const end = alice.client.onChange(topics => told.push([...topics].sort()))
  const insert = "INSERT INTO record (shelf, key, value) VALUES (?, 'key', 'value')"
  const outcomes = await Promise.allSettled([
    store.write(database => database.run(insert, 'one')),
    store.write(database => {
      database.run(insert, 'two')
      throw new Error('changed my mind')
    }),
    store.write(database => database.run(insert, 'three')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(told).toEqual([['records:one', 'records:three']])
  await alice.client.journal.confirm('alerts', alice.client.journal.newest())
  expect(told).toEqual([['records:one', 'records:three']])
  end()
  await alice.client.records('four').change({ key: 'key', put: 'value' })
  expect(told).toHaveLength(1)
})

test('[CORE-23.7] a listener that fails keeps no other from being told; the connection is a topic, too', async ({
  world,
  alice,
}) => {
  const told = new Set<string>()
  alice.client.onChange(() => {
    throw new Error('no screen')
  })
  alice.client.onChange(topics => {
    for (const topic of topics) told.add(topic)
  })
  await alice.client.identity.setProfile({ about: 'hello' })
  expect(told).toContain('me')
  await world.stopRelay()
  await expect.poll(() => told.has('connection')).toBe(true)
  expect(alice.client.isOnline).toBe(false)
})

test('[CORE-23.7] a name is news wherever it stands: also in a group that its bearer has left', async ({
  alice,
  bob,
  carol,
}) => {
  const group: ChatId = (await alice.client.chats.createGroup({ name: 'team', members: [bob.id, carol.id] }, WITHIN)).id
  await bob.next('chat', event => event.chat_id === group)
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  await bob.say(alice, 'hello')
  await alice.hears('hello')
  await bob.client.chats.leaveGroup(group, WITHIN)
  await alice.next('notice', event => event.notice.code === 'left')
  const told = new Set<string>()
  alice.client.onChange(topics => {
    for (const topic of topics) told.add(topic)
  })
  await bob.client.identity.setProfile({ name: 'robert' })
  await bob.say(alice, 'it is me')
  await expect.poll(() => JSON.stringify(alice.client.messages.history(group, { limit: 20 }))).toContain('robert')
  expect([...told]).toEqual(expect.arrayContaining(['people', 'chats', `chat:${group}`, `chat:${bob.chatId}`]))
})
