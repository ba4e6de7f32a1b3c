// Histories that are cleared and chats that are deleted: with their drafts, marks and waiting messages, on every page.
import type { ChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test } from './app-fixtures.ts'
import { heardBy, meet, type TestApp } from './app-world.ts'

const chatOf = (app: TestApp) => app.account.client.account as string as ChatId

describe('[APP-4.12] a history that is cleared', () => {
  test('is empty on every page, with what waited to be sent; the draft stays, without its reply', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    const { id } = await bot.say(chatOf(app), 'hello')
    const other = app.page()
    const [here, there] = [page, other].map(one => one.watch('history', chat, { at: 'end' }, 50))
    const detail = other.watch('chat', chat)
    const unread = other.watch('unread')
    const outgoing = page.watch('outgoing', chat)
    await expect.poll(() => [here?.value.rows.length, there?.value.rows.length]).toEqual([1, 1])
    await page.call('draft', { chat, text: 'not yet', reply_to: id })
    app.wire.cut()
    await page.call('send', { chat, text: 'waits' })
    await expect.poll(() => outgoing.value.map(({ state }) => state)).toEqual([{ kind: 'waiting' }])
    await page.call('clearHistory', { chat })
    await expect.poll(() => [here?.value.rows, there?.value.rows, outgoing.value]).toEqual([[], [], []])
    expect(detail.value).toMatchObject({ isEmpty: true, unread: 0, draft: { text: 'not yet' } })
    expect(detail.value?.draft).not.toHaveProperty('reply_to')
    expect(unread.value).toEqual({ chats: 0, messages: 0 })
    expect(page.tidings).toContainEqual({ kind: 'alert-over', chat })
    app.wire.mend()
    await page.call('send', { chat, text: 'later' })
    await expect.poll(() => heardBy(bot, app)).toEqual(['hello', 'later'])
  })

  test('lets a reply to a message that is gone go out without it', async ({ started: { app, page }, bot }) => {
    const chat = await meet(page, bot)
    const { id } = await bot.say(chatOf(app), 'hello')
    const outgoing = page.watch('outgoing', chat)
    await expect.poll(() => app.account.client.messages.has(chat, id)).toBe(true)
    await page.call('clearHistory', { chat })
    await page.call('send', { chat, text: 'as I said', reply_to: id })
    expect(await bot.hears('as I said')).not.toHaveProperty('reply_to')
    await expect.poll(() => outgoing.value).toEqual([])
  })
})

describe('[APP-4.13] a chat that is deleted', () => {
  test('is gone on every page with its draft, pin and waiting messages, and stays muted for the next message', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    await bot.say(chatOf(app), 'hello')
    const other = app.page()
    const chats = other.watch('chats')
    const detail = other.watch('chat', chat)
    const outgoing = other.watch('outgoing', chat)
    await expect.poll(() => chats.value).toHaveLength(1)
    await page.call('markChat', { chat, pinned: true, archived: true, muted: true })
    await page.call('draft', { chat, text: 'not yet' })
    app.wire.cut()
    await page.call('send', { chat, text: 'waits' })
    await expect.poll(() => outgoing.value.map(({ state }) => state)).toEqual([{ kind: 'waiting' }])
    await page.call('deleteChat', { chat })
    await expect.poll(() => [chats.value, detail.value]).toEqual([[], undefined])
    // The page that showed it stores its text as it goes.
    await other.call('draft', { chat, text: 'too late' })
    expect(app.account.drafts.get(chat)).toBeUndefined()
    expect(app.account.outgoing.in(chat)).toEqual([])
    app.wire.mend()
    await app.online()
    await bot.client.messages.sendText(chatOf(app), { text: 'still there?' }, WITHIN)
    await expect.poll(() => chats.value).toHaveLength(1)
    expect(chats.value[0]).toMatchObject({ pinned: false, archived: false, muted: true, unread: 1 })
    expect(heardBy(bot, app)).toEqual(['hello', 'still there?'])
  })

  test('is shown again, empty, when its owner wants to write; a request and a group that was left are not', async ({
    started: { app, page },
    bot,
    bob,
  }) => {
    const chat = await meet(page, bot)
    const chats = page.watch('chats')
    await page.call('deleteChat', { chat })
    await expect.poll(() => chats.value).toEqual([])
    app.wire.cut()
    await page.call('showChat', { chat })
    await expect.poll(() => chats.value).toMatchObject([{ id: chat, state: 'active' }])
    expect(page.watch('history', chat, { at: 'end' }, 50).value.rows).toEqual([])
    app.wire.mend()
    await app.online()
    const { chat: group } = await page.call('createGroup', { name: 'walks', members: [bot.chatId] })
    await page.call('deleteChat', { chat: group })
    await bob.client.messages.sendText(chatOf(app), { text: 'a stranger' }, WITHIN)
    await expect.poll(() => chats.value.map(({ state }) => state).toSorted()).toEqual(['active', 'request'])
    await page.call('decline', { chat: bob.chatId })
    for (const gone of [group, bob.chatId]) await page.call('showChat', { chat: gone })
    await expect.poll(() => chats.value.map(({ id }) => id)).toEqual([chat])
  })

  test('can be deleted twice under one key, and a request is refused', async ({ started: { app, page }, bot, bob }) => {
    const chat = await meet(page, bot)
    await page.call('deleteChat', { chat })
    await page.call('deleteChat', { chat })
    expect(app.account.client.chats.list()).toEqual([])
    await bob.say(chatOf(app), 'knock knock')
    await expect.poll(() => app.account.client.chats.list()).toHaveLength(1)
    await expect(page.call('deleteChat', { chat: bob.chatId })).rejects.toMatchObject({
      fault: { code: 'chat-is-request' },
    })
  })
})
