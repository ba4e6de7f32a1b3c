// The alerts while a person looks elsewhere, and this device's settings for chats.
import type { ChatId } from '@postern/protocol'
import { parseGroupLink } from '@postern/protocol/content'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import type { PushEvent } from '../src/contract/push-events.ts'
import { test } from './app-fixtures.ts'
import { TestApp, type TestPage } from './app-world.ts'

const alertsOf = ({ tidings }: TestPage): PushEvent[] => tidings.filter(({ kind }) => kind === 'alert')

/** Bob sends it to the app, and the app's list shows that it arrived. */
async function says(bob: TestPerson, { app, page }: { app: TestApp; page: TestPage }, text: string): Promise<void> {
  await bob.say(app.account.client.account as string as ChatId, text)
  const chats = page.watch('chats')
  const isThere = () =>
    chats.value.some(({ last }) => last?.kind === 'message' && last.message.text === text) &&
    app.account.client.journal.confirmed('alerts') === app.account.client.journal.newest()
  await expect.poll(isThere).toBe(true)
  chats.end()
}

const meet = (page: TestPage, bob: TestPerson) => page.call('openInvite', { link: bob.client.identity.me().inviteUrl })

describe('an alert', () => {
  test('[APP-4.1] tells of a message as much as the person wants to be told', async ({ started, bob }) => {
    const { page } = started
    await meet(page, bob)
    await says(bob, started, 'one')
    await page.call('setSettings', { notify: 'words' })
    await says(bob, started, 'two')
    await page.call('setSettings', { notify: 'nothing' })
    await says(bob, started, 'three')
    await page.call('setSettings', { notify: 'off' })
    await says(bob, started, 'four')
    expect(alertsOf(page)).toMatchObject([
      { kind: 'alert', chat: bob.chatId, title: 'bob', text: '' },
      { kind: 'alert', chat: bob.chatId, title: 'bob', text: 'two' },
      { kind: 'alert', chat: bob.chatId, title: '', text: '' },
    ])
  })

  test('[APP-4.2] is not for a chat at which somebody looks, on whichever page', async ({ started, bob }) => {
    const { app, page } = started
    await meet(page, bob)
    const other = app.page()
    await other.call('looking', { chat: bob.chatId, focused: true })
    await says(bob, started, 'seen')
    expect(alertsOf(page)).toEqual([])
    await other.call('looking', { chat: bob.chatId, focused: false })
    await says(bob, started, 'not seen')
    await other.call('looking', { chat: bob.chatId, focused: true })
    other.leave()
    await says(bob, started, 'nor this')
    expect(alertsOf(page)).toHaveLength(2)
  })

  test('[APP-4.3] is not for a silent message, which counts as unread', async ({ started, bob }) => {
    const { app, page } = started
    await meet(page, bob)
    const unread = page.watch('unread')
    const toApp = app.account.client.account as string as ChatId
    await bob.client.messages.sendText(toApp, { text: 'no hurry', silent: true }, WITHIN)
    await says(bob, started, 'now')
    expect(alertsOf(page)).toHaveLength(1)
    await expect.poll(() => unread.value).toEqual({ chats: 1, messages: 2 })
  })

  test('[APP-4.3] is not for a muted chat, nor counted with the unread', async ({ started, bob }) => {
    const { page } = started
    await meet(page, bob)
    const unread = page.watch('unread')
    await page.call('markChat', { chat: bob.chatId, muted: true })
    await says(bob, started, 'psst')
    expect(alertsOf(page)).toEqual([])
    expect(unread.value).toEqual({ chats: 0, messages: 0 })
    await page.call('markChat', { chat: bob.chatId, muted: false })
    await expect.poll(() => unread.value).toEqual({ chats: 1, messages: 1 })
  })

  test('[APP-4.19] of people who ask to join a group comes once, until somebody looks at the group', async ({
    started: { app, page },
    bob,
    mallory,
  }) => {
    const { chat } = await page.call('createGroup', { name: 'Boats', members: [] })
    await page.call('makeGroupLink', { chat })
    const [{ url } = { url: '' }] = page.watch('groupLinks', chat).value
    const detail = page.watch('chat', chat)
    const asks = async (person: TestPerson, waiting: number) => {
      await person.client.groupLinks.ask(parseGroupLink(url), WITHIN)
      await expect.poll(() => detail.value?.joinRequests?.length).toBe(waiting)
      const { journal } = app.account.client
      await expect.poll(() => journal.confirmed('alerts')).toBe(journal.newest())
    }
    await asks(mallory, 1)
    await asks(bob, 2)
    const alert = { kind: 'alert', chat, title: 'Boats', text: '', isMention: false, asksToJoin: true }
    expect(alertsOf(page)).toEqual([alert])
    await page.call('looking', { chat, focused: true })
    await page.call('looking', { focused: false })
    for (const { id } of [mallory, bob]) await page.call('answerJoin', { chat, account: id, answer: 'decline' })
    await expect.poll(() => detail.value?.joinRequests).toBeUndefined()
    await page.call('revokeGroupLink', { chat, token: parseGroupLink(url).token })
    await page.call('makeGroupLink', { chat })
    const again = page.watch('groupLinks', chat)
    await mallory.client.groupLinks.ask(parseGroupLink(again.value[0]?.url ?? ''), WITHIN)
    await expect.poll(() => alertsOf(page)).toEqual([alert, alert])
  })

  test('[APP-4.4] of a request comes once, and tells neither its name nor its words', async ({ started, mallory }) => {
    const { app, page } = started
    await page.call('setSettings', { notify: 'words' })
    const chats = page.watch('chats')
    for (const text of ['buy', 'this', 'now']) await mallory.say(app.account.client.account as string as ChatId, text)
    await expect
      .poll(() => chats.value.map(({ state, unread }) => ({ state, unread })))
      .toEqual([{ state: 'request', unread: 3 }])
    expect(alertsOf(page)).toEqual([{ kind: 'alert', chat: mallory.chatId, title: '', text: '', isMention: false }])
  })

  test('[APP-4.5] is over when its chat was read, on every page', async ({ started, bob }) => {
    const { app, page } = started
    await meet(page, bob)
    await says(bob, started, 'read me')
    await app.page().call('read', { chat: bob.chatId })
    expect(page.tidings.filter(({ kind }) => kind === 'alert-over')).toEqual([{ kind: 'alert-over', chat: bob.chatId }])
  })

  test('[APP-4.6] comes once, over a new start of the worker', async ({ started, world, bob }) => {
    await meet(started.page, bob)
    await says(bob, started, 'once')
    await started.app.host.home.stop()
    const next = await TestApp.begin(world)
    await says(bob, next, 'another')
    expect(alertsOf(next.page)).toHaveLength(1)
    expect(next.app.account.client.journal.read(0, 10)).toEqual([])
    await next.app.host.home.stop()
  })
})

describe('what stands in a field', () => {
  test('[APP-4.7] is kept for its chat over a new start, and gone when it is empty', async ({
    started,
    world,
    bob,
  }) => {
    const { app, page } = started
    await meet(page, bob)
    const chats = page.watch('chats')
    await page.call('draft', { chat: bob.chatId, text: 'half a' })
    await expect.poll(() => chats.value[0]?.draft).toBe('half a')
    await app.host.home.stop()
    const next = await TestApp.begin(world)
    const chat = next.page.watch('chat', bob.chatId)
    expect(chat.value?.draft).toEqual({ text: 'half a' })
    await next.page.call('draft', { chat: bob.chatId, text: '' })
    await expect.poll(() => chat.value?.draft).toBeUndefined()
    await next.app.host.home.stop()
  })
})

describe('a chat', () => {
  test('[APP-4.8] that is pinned stands first, and what is marked stays so over a new start', async ({
    started,
    world,
    bob,
    carol,
  }) => {
    const { app, page } = started
    await meet(page, bob)
    await meet(page, carol)
    await page.call('markChat', { chat: bob.chatId, pinned: true })
    await app.host.home.stop()
    const next = await TestApp.begin(world)
    await says(carol, next, 'newest')
    expect(next.page.watch('chats').value.map(({ name, pinned }) => [name, pinned])).toEqual([
      ['bob', true],
      ['carol', false],
    ])
    await next.app.host.home.stop()
  })

  test('[APP-4.9] that was put away comes back with a new message, unless it is muted', async ({ started, bob }) => {
    const { page } = started
    await meet(page, bob)
    const chat = page.watch('chat', bob.chatId)
    await page.call('markChat', { chat: bob.chatId, archived: true, muted: true })
    await says(bob, started, 'psst')
    expect(chat.value?.archived).toBe(true)
    await page.call('markChat', { chat: bob.chatId, muted: false })
    await says(bob, started, 'hello')
    await expect.poll(() => chat.value?.archived).toBe(false)
  })
})

describe('settings', () => {
  test('[APP-4.10] are kept with the account, also those that were made before there was one', async ({ world }) => {
    const app = new TestApp(world)
    const page = app.page()
    await app.host.home.start()
    await page.call('setSettings', { language: 'ru' })
    await page.call('createAccount', { name: 'alice' })
    await app.host.home.stop()
    const { app: next, page: again } = await TestApp.begin(world)
    expect(again.watch('settings').value.language).toBe('ru')
    await next.host.home.stop()
  })

  test('[APP-4.11] that another version has left are passed over one and all, and the app opens', async ({
    started,
    world,
  }) => {
    const { app } = started
    await app.account.client.records('settings').change({ key: 'app', put: '{"scheme":"pink"}' })
    await app.account.client.records('draft').change({ key: 'x', put: 'not json' })
    await app.account.client.records('outgoing').change({ key: 'y', put: '{"chat":1}' })
    await app.host.home.stop()
    const { app: next, page } = await TestApp.begin(world)
    expect(page.watch('settings').value.scheme).toBe('auto')
    await next.host.home.stop()
  })
})
