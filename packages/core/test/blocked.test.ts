// Blocked people: nothing from them is accepted, they cannot tell it from silence, and it can be undone.
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { openPrivateChat } from '../src/chats/opening/open-chat.ts'
import type { JournalEvent } from '../src/journal/journal.ts'
import { commitAs, coreOf, deadlineOf } from './hostile/modified-client.ts'
import { sayBody } from './hostile/team.ts'
import { spokenOn } from './lossy-wire.ts'

const listed = (person: TestPerson) => person.client.chats.list().map(({ id }) => id)
const cursorOf = (person: TestPerson) =>
  coreOf(person).store.get<{ cursor: number }>('SELECT cursor FROM mailbox')?.cursor ?? 0
const eventsOf = (person: TestPerson, chat: ChatId, since: number) =>
  person.client.journal
    .read(since, 1000)
    .map(({ json }) => JSON.parse(json) as JournalEvent)
    .filter(event => event.chat_id === chat)

const test = base
  .extend('bob', ({ world }) => world.person('bob', { acceptRequests: 'ask' }))
  /** Bob and mallory have talked, and all receipts and greetings were sent. */
  .extend('talked', ({ bob, mallory }) => async () => {
    const { id } = await bob.say(mallory, 'hello')
    await mallory.hears('hello')
    const { id: theirs } = await mallory.say(bob, 'before')
    await bob.hears('before')
    await bob.client.messages.markRead(mallory.chatId)
    await expect.poll(() => mallory.client.messages.get(bob.chatId, theirs).status).toBe('read')
    await expect.poll(() => bob.client.messages.get(mallory.chatId, id).status).toBe('delivered')
    return { own: id, theirs }
  })
  /** Bob has read everything that was sent to him until now: alice's message comes after it. */
  .extend('caughtUp', ({ bob, alice }) => async () => {
    const { id } = await alice.say(bob, 'mark')
    await expect.poll(() => coreOf(bob).store.get('SELECT 1 FROM message WHERE id = ?', id)).toBeDefined()
  })

describe('[CORE-19.7] of who is blocked', () => {
  test('nothing in the private chat is shown, kept, receipted or told, whatever it is', async ({
    bob,
    mallory,
    talked,
    caughtUp,
  }) => {
    const { own, theirs } = await talked()
    await bob.client.chats.block(mallory.id)
    const [since, said] = [bob.client.journal.newest(), spokenOn(bob.wire)]
    const shown = bob.client.messages.list(mallory.chatId, { limit: 10 })
    await mallory.say(bob, 'shouted')
    await mallory.client.messages.edit(bob.chatId, { message: theirs, text: 'edited' }, WITHIN)
    await mallory.client.messages.react(bob.chatId, { message: own, emoji: '🦊' }, WITHIN)
    await mallory.client.messages.markRead(bob.chatId)
    await mallory.client.messages.call(bob.chatId, WITHIN)
    await mallory.client.chats.setTimer(bob.chatId, 60_000, WITHIN)
    await mallory.client.identity.setProfile({ name: 'nice person' })
    await sayBody(mallory, bob.chatId, { kind: 'hello' })
    await mallory.client.messages.delete(bob.chatId, { message: theirs, for: 'all' }, WITHIN)
    await sayBody(mallory, bob.chatId, { kind: 'leave' })
    await caughtUp()
    expect(eventsOf(bob, mallory.chatId, since)).toEqual([])
    expect(bob.client.messages.list(mallory.chatId, { limit: 10 })).toEqual(shown)
    expect(bob.client.identity.profileOf(mallory.id).name).toBe('mallory')
    expect(bob.client.chats.get(mallory.chatId)).toMatchObject({ blocked: true, unread: 0, state: 'active' })
    expect(bob.client.identity.blocked()).toEqual([{ id: mallory.id, name: 'mallory' }])
    expect(said).toEqual([])
  })

  test('requests never appear, and those that wait are gone', async ({ bob, mallory, carol, caughtUp }) => {
    await mallory.say(bob, 'let me in')
    const { id: trap } = await mallory.client.chats.createGroup({ name: 'trap', members: [bob.id, carol.id] }, WITHIN)
    await mallory.say(trap, 'look')
    await expect.poll(() => listed(bob)).toHaveLength(2)
    const since = bob.client.journal.newest()
    await bob.client.chats.block(mallory.id)
    expect(listed(bob)).toEqual([])
    await carol.next('notice', ({ notice }) => notice.code === 'left' && notice.from.id === bob.id)
    await mallory.say(bob, 'let me in!')
    const { id: other } = await mallory.client.chats.createGroup({ name: 'other', members: [bob.id, carol.id] }, WITHIN)
    await mallory.say(other, 'look here')
    await carol.next('chat', ({ chat }) => chat.id === other)
    await carol.say(other, 'who is here?')
    await carol.next('notice', ({ notice, chat_id }) => chat_id === other && notice.code === 'left')
    await caughtUp()
    expect(listed(bob)).not.toContain(mallory.chatId)
    for (const chat of [mallory.chatId, trap, other]) expect(eventsOf(bob, chat, since)).toEqual([])
    expect(coreOf(bob).store.all('SELECT 1 FROM message WHERE sender <> ?', carol.id)).toHaveLength(1)
  })

  test('messages stay in a group that one shares with others', async ({ bob, mallory, carol }) => {
    const { id: chat } = await carol.client.chats.createGroup({ name: 'all', members: [bob.id, mallory.id] }, WITHIN)
    await mallory.next('chat', event => event.chat_id === chat)
    await expect.poll(() => listed(bob)).toEqual([chat])
    await bob.client.chats.accept(chat)
    await bob.client.chats.block(mallory.id)
    await mallory.say(chat, 'hello all')
    await bob.hears('hello all')
    expect(bob.client.chats.get(chat)).not.toHaveProperty('blocked')
    await bob.say(chat, 'hello')
    await mallory.hears('hello')
  })

  test('stays so over a restart, also of somebody whom one has never met', async ({
    world,
    bob,
    mallory,
    alice,
    caughtUp,
  }) => {
    await bob.client.chats.block(mallory.id)
    await caughtUp()
    await world.close(bob)
    const again = await world.person('bob', { acceptRequests: 'all' })
    await mallory.say(again, 'let me in')
    await alice.say(again, 'and me')
    await again.hears('and me')
    expect(listed(again)).toEqual([alice.chatId])
    await again.client.chats.unblock(mallory.id)
    expect(again.client.identity.blocked()).toEqual([])
    await mallory.say(again, 'now')
    await again.hears('now')
    expect(again.texts(mallory)).toEqual(['now'])
  })
})

describe('[CORE-19.8] to who is blocked', () => {
  test('nothing can be written, whatever it is', async ({ bob, mallory, bot, talked }) => {
    const { theirs } = await talked()
    await bob.openInvite(bot.client.identity.me().inviteUrl)
    await bot.say(bob, 'hello')
    await bob.hears('hello')
    const buttons = [[{ text: 'Yes', data: 'yes' }]]
    const { id: asked } = await bot.client.messages.sendText(bob.chatId, { text: 'Well?', buttons }, WITHIN)
    await bob.hears('Well?')
    for (const { id } of [mallory, bot]) await bob.client.chats.block(id)
    const { messages, chats } = bob.client
    const chat = mallory.chatId
    const said = spokenOn(bob.wire)
    for (const attempt of [
      () => messages.sendText(chat, { text: 'hello' }, WITHIN),
      () => messages.react(chat, { message: theirs, emoji: '🦊' }, WITHIN),
      () => messages.call(chat, WITHIN),
      () => chats.setTimer(chat, 60_000, WITHIN),
      () => chats.open({ account: mallory.id }, WITHIN),
      () => messages.press(bot.chatId, { message: asked, data: 'yes' }, WITHIN),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'chat-blocked' })
    expect(said).toEqual([])
    await expect(chats.block(bob.id)).rejects.toMatchObject({ code: 'bad-field' })
  })

  test('nothing can be written where there is no chat yet', async ({ bob, mallory }) => {
    await bob.client.chats.block(mallory.id)
    const said = spokenOn(bob.wire)
    await expect(bob.say(mallory, 'hello')).rejects.toMatchObject({ code: 'chat-blocked' })
    await expect(bob.client.chats.open({ account: mallory.id }, WITHIN)).rejects.toMatchObject({ code: 'chat-blocked' })
    expect(listed(bob)).toEqual([])
    expect(said).toEqual([])
  })

  test('no receipt goes out, also of what was read after it, nor of what was due before', async ({
    bob,
    alice,
    mallory,
    talked,
    caughtUp,
  }) => {
    await talked()
    bob.wire.hold()
    const { id } = await mallory.say(bob, 'unread')
    bob.wire.release()
    await bob.hears('unread')
    await bob.client.chats.block(mallory.id)
    const said = spokenOn(bob.wire)
    await bob.client.messages.markRead(mallory.chatId)
    await caughtUp()
    // The next message is for alice alone.
    await bob.client.chats.accept(alice.chatId)
    expect(bob.client.chats.get(mallory.chatId).unread).toBe(0)
    await expect.poll(() => said.length).toBeGreaterThan(0)
    expect(mallory.client.messages.get(bob.chatId, id).status).not.toBe('read')
    expect(coreOf(bob).store.all('SELECT 1 FROM receipt_due WHERE chat_id = ?', mallory.chatId)).toEqual([])
  })
})

describe('[CORE-19.9] the keys go on', () => {
  test('by commits of the one who is blocked: unblocked, the next word is heard and answered', async ({
    bob,
    mallory,
    talked,
    caughtUp,
  }) => {
    await talked()
    await bob.client.chats.block(mallory.id)
    for (const text of ['one', 'two']) {
      await mallory.say(bob, text)
      await commitAs(mallory, bob.chatId, () => ({}))
    }
    await caughtUp()
    const since = bob.client.journal.newest()
    await bob.client.chats.unblock(mallory.id)
    expect(bob.client.chats.get(mallory.chatId)).not.toHaveProperty('blocked')
    await mallory.say(bob, 'three')
    await bob.hears('three')
    await bob.say(mallory, 'four')
    await mallory.hears('four')
    expect(bob.texts(mallory)).toEqual(['hello', 'before', 'three', 'four'])
    expect(eventsOf(bob, mallory.chatId, since).map(({ type }) => type)).not.toContain('notice')
  })

  test('by a new group of theirs, too, which is answered by nothing until then', async ({
    bob,
    mallory,
    talked,
    caughtUp,
  }) => {
    await talked()
    await bob.client.chats.block(mallory.id)
    const said = spokenOn(bob.wire)
    await openPrivateChat(coreOf(mallory), { account: bob.id }, { deadline: deadlineOf(mallory), atLeast: 7 })
    await mallory.say(bob, 'in another group')
    const cursor = cursorOf(bob)
    await caughtUp()
    expect(cursorOf(bob)).toBeGreaterThan(cursor)
    expect(said).toEqual([])
    await bob.client.chats.unblock(mallory.id)
    await mallory.say(bob, 'do you hear me?')
    await bob.hears('do you hear me?')
    await bob.say(mallory, 'I do')
    await mallory.hears('I do')
    expect(bob.texts(mallory)).not.toContain('in another group')
  })
})
