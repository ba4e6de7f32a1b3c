// The history of a chat as a screen reads it: messages and notices in one order, page by page, and the list of chats.
import type { HistoryRow } from '@postern/core'
import { type ChatId, clientLimits, isCoded } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { keepNotice } from '../src/chats/notices.ts'
import { insertMessage } from '../src/messages/messages.ts'
import { commitAs, coreOf, sayWords } from './hostile/modified-client.ts'
import { groupSettings } from './hostile/team.ts'

const line = (row: HistoryRow): string =>
  row.kind === 'message'
    ? (row.message.text ?? '')
    : `${row.notice.code} ${'from' in row.notice ? row.notice.from.name : ''}`

const tsOf = (row: HistoryRow): number => (row.kind === 'message' ? row.message.ts : row.ts)

const historyOf = (person: TestPerson, chat: ChatId): string[] =>
  person.client.messages.history(chat, { limit: 100 }).rows.map(line)

/** A message without any traffic: only its place matters. */
const put = (person: TestPerson, chat: TestPerson, { text, ts }: { text: string; ts: number }) =>
  coreOf(person).store.write(database =>
    insertMessage(database, {
      id: `message-${text}` as never,
      chat_id: chat.chatId,
      sender: chat.id,
      ts,
      send_id: `send-${text}` as never,
      body: JSON.stringify({ kind: 'text', text }),
      reported: 1,
      timer_ms: 0,
      expires_ts: null,
      erase_at_ms: null,
      read: 1,
    }),
  )

const note = (person: TestPerson, chat: TestPerson, ts: number) =>
  coreOf(person).store.write(database =>
    keepNotice(database, { chat: chat.chatId, ts, notice: { code: 'timer', from: chat, timer_ms: ts } }),
  )

describe('[CORE-23.2] notices stand in the history', () => {
  test('in the order of what happened, for who did it, who saw it and who was away; they are not unread', async ({
    world,
    alice,
    bob,
    carol,
  }) => {
    const group = await alice.createGroup('team', [bob])
    await world.close(bob)
    await alice.say(group, 'one')
    await alice.client.chats.addMembers(group, [carol.id], WITHIN)
    await alice.say(group, 'two')
    await alice.client.chats.renameGroup(group, 'crew', WITHIN)
    await alice.client.chats.setTimer(group, 60_000, WITHIN)
    await carol.next('notice', event => event.notice.code === 'timer')
    // A member that leaves immediately may not have told anyone its name.
    const names = () => alice.client.chats.get(group).members?.map(({ name }) => name)
    await expect.poll(names).toContain('carol')
    await carol.client.chats.leaveGroup(group, WITHIN)
    await alice.next('notice', event => event.notice.code === 'left')
    await alice.say(group, 'three')

    const lines = ['created alice', 'one', 'joined alice', 'two', 'renamed alice', 'timer alice', 'left carol', 'three']
    // A name comes a moment after the event of its bearer.
    await expect.poll(() => historyOf(alice, group)).toEqual(lines)
    const again = await world.person('bob')
    await again.hears('three')
    await again.client.journal.confirm('screen', again.client.journal.newest())
    await expect.poll(() => historyOf(again, group)).toEqual(lines)
    expect(again.client.chats.get(group).unread).toBe(3)
    // An event at one place of the log has the same time on every side.
    const times = (person: TestPerson) => person.client.messages.history(group, { limit: 100 }).rows.slice(1).map(tsOf)
    expect(times(again)).toEqual(times(alice))
    await world.close(again)
    expect(historyOf(await world.person('bob'), group)).toEqual(lines)
    await expect
      .poll(() => historyOf(carol, group))
      .toEqual(['created alice', 'two', 'renamed alice', 'timer alice', 'left carol'])
  })

  test('with the names of today, and with what is known of a bot since', async ({ alice, bob, bot }) => {
    await alice.openInvite(bot.client.identity.me().inviteUrl)
    const group = await alice.createGroup('team', [bob])
    await alice.client.chats.addMembers(group, [bot.id], WITHIN)
    await bob.next('notice', event => event.notice.code === 'joined')
    await alice.client.identity.setProfile({ name: 'alicia' })
    await alice.say(group, 'it is me')
    await bot.say(group, 'beep')
    await bob.hears('beep')
    await expect
      .poll(() =>
        bob.client.messages
          .history(group, { limit: 9 })
          .rows.find(row => row.kind === 'notice' && row.notice.code === 'joined'),
      )
      .toMatchObject({
        notice: { from: { id: alice.id, name: 'alicia' }, members: [{ id: bot.id, name: 'bot', bot: true }] },
      })
  })

  test('of a chat that is only asked for there are none', async ({ world, alice, bob }) => {
    const asking = await world.person('asking', { acceptRequests: 'ask' })
    const group = (await bob.client.chats.createGroup({ name: 'team', members: [asking.id] }, WITHIN)).id
    await asking.next('chat', event => event.chat.state === 'request')
    await bob.client.chats.renameGroup(group, 'crew', WITHIN)
    await bob.client.chats.addMembers(group, [alice.id], WITHIN)
    await bob.say(group, 'well?')
    await expect.poll(() => historyOf(asking, group)).toEqual(['well?'])
    await asking.client.chats.accept(group)
    await bob.client.chats.renameGroup(group, 'all', WITHIN)
    await expect.poll(() => historyOf(asking, group)).toEqual(['well?', 'renamed bob'])
  })
})

describe('[CORE-23.3] who makes notices without end', () => {
  test('does not fill the disk: the oldest make room', async ({ alice, bob }) => {
    await bob.say(alice, 'hello')
    await alice.hears('hello')
    const max = clientLimits.noticesPerChatMax
    for (let at = 1; at <= max + 20; at++) await note(alice, bob, at)
    const { rows } = alice.client.messages.history(bob.chatId, { limit: max + 100 })
    const notices = rows.filter(row => row.kind === 'notice')
    expect(notices).toHaveLength(max)
    expect(notices[0]?.ts).toBe(21)
    expect(rows.filter(row => row.kind === 'message').map(line)).toEqual(['hello'])
  })

  test('a member who renames the group on and on is one of those', async ({ alice, mallory }) => {
    const group = await mallory.createGroup('team', [alice])
    for (let at = 0; at < 10; at++)
      await commitAs(mallory, group, () => ({ settings: groupSettings([mallory], { title: `title ${at}` }) }))
    await mallory.say(group, 'done')
    await alice.hears('done')
    expect(alice.client.messages.history(group, { limit: 100 }).rows).toHaveLength(12)
  })

  test('moves no message: its time is that of everybody else', async ({ alice, bob }) => {
    await bob.say(alice, 'hello')
    await alice.hears('hello')
    for (const ts of [5, 5, 6]) await note(alice, bob, ts)
    await put(alice, bob, { text: 'five', ts: 5 })
    await put(alice, bob, { text: 'seven', ts: 7 })
    const { rows } = alice.client.messages.history(bob.chatId, { before: 100, limit: 100 })
    expect(rows.map(row => [row.kind, tsOf(row)])).toEqual([
      ['message', 5],
      ['notice', 6],
      ['message', 7],
      ['notice', 8],
      ['notice', 9],
    ])
  })
})

describe('[CORE-23.4] a page', () => {
  const filled = test.extend('chat', async ({ alice, bob }) => {
    await bob.say(alice, 'hello')
    await alice.hears('hello')
    await alice.client.messages.delete(
      bob.chatId,
      { message: alice.client.messages.list(bob.chatId, { limit: 1 })[0]!.id, for: 'me' },
      WITHIN,
    )
    for (let ts = 1; ts <= 20; ts++)
      if (ts % 4 === 0) await note(alice, bob, ts)
      else await put(alice, bob, { text: `m${ts}`, ts })
    return bob.chatId
  })

  filled('lies at the end, before or after a time, or around one', ({ alice, chat }) => {
    const read = (place: object) => {
      const { rows, ...beyond } = alice.client.messages.history(chat, { limit: 4, ...place })
      return { times: rows.map(tsOf), ...beyond }
    }
    expect(read({})).toEqual({ times: [17, 18, 19, 20], hasOlder: true, hasNewer: false })
    expect(read({ before: 5 })).toEqual({ times: [1, 2, 3, 4], hasOlder: false, hasNewer: true })
    expect(read({ before: 6 })).toEqual({ times: [2, 3, 4, 5], hasOlder: true, hasNewer: true })
    expect(read({ before: 1 })).toEqual({ times: [], hasOlder: false, hasNewer: true })
    expect(read({ after: 16 })).toEqual({ times: [17, 18, 19, 20], hasOlder: true, hasNewer: false })
    expect(read({ after: 0 })).toEqual({ times: [1, 2, 3, 4], hasOlder: false, hasNewer: true })
    expect(read({ after: 20 })).toEqual({ times: [], hasOlder: true, hasNewer: false })
    expect(read({ around: 10 })).toEqual({ times: [8, 9, 10, 11], hasOlder: true, hasNewer: true })
    expect(read({ around: 1 })).toEqual({ times: [1, 2, 3, 4], hasOlder: false, hasNewer: true })
    expect(read({ around: 20 })).toEqual({ times: [17, 18, 19, 20], hasOlder: true, hasNewer: false })
    expect(read({ around: 'message-m11' })).toEqual({ times: [9, 10, 11, 12], hasOlder: true, hasNewer: true })
    expect(read({ limit: 30 })).toMatchObject({ hasOlder: false, hasNewer: false })
    expect(() => read({ around: 'message-m4' })).toThrow(expect.objectContaining({ code: 'message-not-found' }))
  })

  filled('leads to the next one in both directions: every line comes once', ({ alice, chat }) => {
    const { messages } = alice.client
    const walk = (next: (at: number) => object, end: 'hasOlder' | 'hasNewer') => {
      const seen: number[] = []
      for (let at = end === 'hasOlder' ? 100 : 0; ; ) {
        const page = messages.history(chat, { ...next(at), limit: 3 })
        const times = page.rows.map(tsOf)
        seen.push(...(end === 'hasOlder' ? times.toReversed() : times))
        if (!page[end]) return seen
        at = seen.at(-1) ?? 0
      }
    }
    const all = Array.from({ length: 20 }, (_, at) => at + 1)
    expect(walk(after => ({ after }), 'hasNewer')).toEqual(all)
    expect(walk(before => ({ before }), 'hasOlder')).toEqual(all.toReversed())
  })

  filled('of messages alone can be read on from a message, too', ({ alice, chat }) => {
    const texts = (place: object) => alice.client.messages.list(chat, { limit: 3, ...place }).map(({ text }) => text)
    expect(texts({})).toEqual(['m17', 'm18', 'm19'])
    expect(texts({ beforeTs: 5 })).toEqual(['m1', 'm2', 'm3'])
    expect(texts({ afterTs: 7 })).toEqual(['m9', 'm10', 'm11'])
    expect(texts({ around: 'message-m9' })).toEqual(['m7', 'm9', 'm10'])
  })

  test('of a chat that nobody is shown there is none', ({ alice, bob }) => {
    expect(() => alice.client.messages.history(bob.chatId, { limit: 1 })).toThrow(
      expect.objectContaining({ code: 'chat-not-found' }),
    )
  })
})

test('[CORE-23.1] the overview has every chat with its last line, the newest first', async ({ alice, bob, carol }) => {
  await alice.say(bob, 'to bob')
  await alice.say(carol, 'to carol')
  const group = (await alice.client.chats.createGroup({ name: 'team', members: [bob.id] }, WITHIN)).id
  const overview = () =>
    alice.client.chats
      .overview()
      .map(chat => [chat.name, chat.last && line(chat.last), chat.last_ts === (chat.last && tsOf(chat.last))])
  await bob.hears('to bob')
  await expect.poll(overview).toEqual([
    ['team', 'created alice', true],
    ['carol', 'to carol', true],
    ['bob', 'to bob', true],
  ])
  await bob.say(alice, 'to alice')
  await alice.hears('to alice')
  await bob.next('chat', event => event.chat_id === group)
  await bob.client.chats.renameGroup(group, 'crew', WITHIN)
  await alice.next('notice', event => event.notice.code === 'renamed')
  expect(overview()).toEqual([
    ['crew', 'renamed bob', true],
    ['bob', 'to alice', true],
    ['carol', 'to carol', true],
  ])
  const [, first] = alice.client.chats.overview()
  expect(first).toMatchObject({ unread: 1, last: { kind: 'message', message: { from: { id: bob.id } } } })
  expect(alice.client.chats.overview()[2]?.last).toMatchObject({
    message: alice.client.messages.list(carol.chatId, { limit: 1 })[0],
  })
  for (const { id } of alice.client.messages.list(bob.chatId, { limit: 9 }))
    await alice.client.messages.delete(bob.chatId, { message: id, for: 'me' }, WITHIN)
  const empty = alice.client.chats.overview().find(chat => chat.id === bob.chatId)
  expect(empty).toEqual({ ...alice.client.chats.get(bob.chatId), last_ts: empty?.ts })
})

test('[CORE-23.5] a declined call is a line of the history, for who called and who was called', async ({
  alice,
  bot,
}) => {
  await alice.openInvite(bot.client.identity.me().inviteUrl)
  await bot.next('chat')
  await alice.client.messages.call(bot.chatId, WITHIN)
  await alice.next('notice')
  expect(historyOf(alice, bot.chatId)).toEqual(['call_declined bot'])
  expect(historyOf(bot, alice.chatId)).toEqual(['call_declined alice'])
})

describe('[CORE-23.6] the bot mark', () => {
  const buttons = [[{ text: 'Yes', data: 'yes' }]]

  test('stands on the sender of a message, and on nobody else', async ({ alice, bob, bot }) => {
    await alice.openInvite(bot.client.identity.me().inviteUrl)
    await bot.client.messages.sendText(alice.chatId, { text: 'Well?', buttons }, WITHIN)
    expect(await alice.hears('Well?')).toMatchObject({ from: { id: bot.id, name: 'bot', bot: true }, buttons })
    await bob.say(alice, 'hello')
    expect((await alice.hears('hello')).from).toEqual({ id: bob.id, name: 'bob' })
  })

  test('buttons of somebody without it are shown to nobody, new or edited in', async ({ alice, mallory }) => {
    await mallory.say(alice, 'hello')
    await alice.hears('hello')
    await sayWords(mallory, alice.chatId, { body: { kind: 'text', text: 'click', buttons } })
    const told = await alice.hears('click')
    await sayWords(mallory, alice.chatId, { body: { kind: 'edit', target: told.id, buttons } })
    const { message: edited } = await alice.next('edited')
    const [row] = alice.client.messages.history(mallory.chatId, { limit: 1 }).rows
    const shown = row?.kind === 'message' ? row.message : undefined
    for (const message of [told, edited, shown]) expect(message).not.toHaveProperty('buttons')
    await expect(
      alice.client.messages.press(mallory.chatId, { message: told.id, data: 'yes' }, WITHIN),
    ).rejects.toSatisfy(error => isCoded(error))
  })

  test('of a bot whose mark comes later they are shown from then on', async ({ alice, bot }) => {
    await alice.say(bot, 'hello')
    await bot.hears('hello')
    await bot.client.messages.sendText(alice.chatId, { text: 'Well?', buttons }, WITHIN)
    await expect
      .poll(() => alice.client.messages.list(bot.chatId, { limit: 1 })[0])
      .toMatchObject({ text: 'Well?', from: { bot: true }, buttons })
  })
})
