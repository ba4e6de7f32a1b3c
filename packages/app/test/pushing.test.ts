// The worker's part of push notifications: what the relay and the service worker are given.
import type { ChatId, GroupId, MessageId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test as base } from './app-fixtures.ts'
import { meet, TestApp } from './app-world.ts'

const address = {
  endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/alice',
  p256dh: new Uint8Array(65).fill(4),
  auth: new Uint8Array(16).fill(5),
}

type StoredSubscription = { endpoint: string; muted: GroupId[] }

const test = base
  /** The changes of the relay's store, in order: a new subscription, or undefined for a removed one. */
  .extend('stored', (): (StoredSubscription | undefined)[] => [])
  .extend('worldOptions', ({ stored }) => ({
    relayAsked: (method: string, given: unknown[]) => {
      if (method === 'push.set') stored.push(given[1] as StoredSubscription)
      if (method === 'push.clear') stored.push(undefined)
    },
  }))

const chatOf = (app: TestApp) => app.account.client.account as string as ChatId

async function says(bob: TestPerson, app: TestApp, text: string): Promise<MessageId> {
  const { id } = await bob.client.messages.sendText(chatOf(app), { text }, WITHIN)
  await expect.poll(() => app.account.client.messages.list(bob.chatId, { limit: 1 })[0]?.id).toBe(id)
  return id
}

describe('with push notifications', () => {
  test('[APP-4.14] the service worker knows as much as the person wants to be shown', async ({ started, bob }) => {
    const { app, page } = started
    const { pushShelf } = app
    const chat = await meet(page, bob)
    await page.call('setPush', { address })
    const group = app.account.client.pushes.groups()[0]?.group
    expect(pushShelf.table).toEqual({
      settings: { notify: 'name', language: 'auto', sound: true, vibrate: true },
      chats: [{ group, chat, title: 'bob', muted: false }],
      keys: [],
    })
    await page.call('setSettings', { notify: 'words' })
    await expect.poll(() => pushShelf.table?.keys).toMatchObject([{ group }])
    await page.call('setSettings', { notify: 'nothing' })
    await expect.poll(() => pushShelf.table?.chats).toEqual([{ group, chat, title: '', muted: false }])
    expect(pushShelf.table?.keys).toEqual([])
  })

  test('[APP-4.14] nothing is stored before the person wants them, and nothing stays afterwards', async ({
    started,
    bob,
    stored,
  }) => {
    const { app, page } = started
    await meet(page, bob)
    await page.call('setSettings', { notify: 'words' })
    await page.call('setPush', {})
    expect(app.pushShelf.table).toBeUndefined()
    expect(app.account.client.pushes.previewKeys()).toEqual([])
    expect(stored).toEqual([])
    await page.call('setPush', { address })
    // Derived by a chore.
    await expect.poll(() => app.account.client.pushes.previewKeys()).toHaveLength(1)
    await page.call('setPush', {})
    expect(app.pushShelf.table).toBeUndefined()
    expect(app.account.client.pushes.previewKeys()).toEqual([])
    expect(stored.at(-1)).toBeUndefined()
  })

  test('[APP-4.14] turned off without a connection, nothing stays here, and the relay learns it later', async ({
    started,
    bob,
    stored,
  }) => {
    const { app, page } = started
    const chat = await meet(page, bob)
    await page.call('setPush', { address })
    app.wire.cut()
    await page.call('setSettings', { notify: 'off' })
    const off = page.call('setPush', {})
    await expect.poll(() => app.pushShelf.table).toBeUndefined()
    // Also changes the facts of notifications.
    await page.call('markChat', { chat, muted: true })
    app.wire.mend()
    await off
    await expect.poll(() => stored.length).toBe(2)
    expect(stored[1]).toBeUndefined()
    expect(app.pushShelf.table).toBeUndefined()
  })

  test('[APP-4.14] a stranger’s name is not shown', async ({ started, mallory }) => {
    const { app, page } = started
    await page.call('setPush', { address })
    await mallory.say(chatOf(app), 'buy this')
    await expect.poll(() => app.pushShelf.table?.chats).toMatchObject([{ chat: mallory.chatId, title: '' }])
  })

  test('[APP-4.15] the relay learns which chats are muted, and again when that changes', async ({
    started,
    bob,
    stored,
  }) => {
    const { app, page } = started
    const chat = await meet(page, bob)
    await page.call('setPush', { address })
    const group = app.account.client.pushes.groups()[0]?.group
    await page.call('markChat', { chat, muted: true })
    await expect.poll(() => stored.map(each => each?.muted)).toEqual([[], [group]])
    expect(stored[1]?.endpoint).toBe(address.endpoint)
    expect(app.pushShelf.table?.chats).toMatchObject([{ muted: true }])
    // Repeated at each start of a page: an unchanged one is not sent.
    await page.call('setPush', { address })
    await page.call('markChat', { chat, muted: false })
    await expect.poll(() => stored.map(each => each?.muted)).toEqual([[], [group], []])
  })

  test('[APP-4.15] a subscription that the relay refuses is refused to the page', async ({ started, stored }) => {
    const refused = started.page.call('setPush', { address: { ...address, endpoint: 'https://127.0.0.1/inside' } })
    await expect(refused).rejects.toMatchObject({ fault: { code: 'push-endpoint' } })
    expect(stored).toEqual([])
  })

  test('[APP-7.25] every page shows what the leading one has found out', async ({ started, bob }) => {
    const { app, page } = started
    await meet(page, bob)
    const other = app.page()
    const seen = other.watch('push')
    await expect.poll(() => seen.value).toBe('unknown')
    await page.call('setPush', { address })
    await expect.poll(() => seen.value).toBe('on')
    expect(app.page().watch('push').value).toBe('on')
    await page.call('setPush', { reason: 'relay-off' })
    await expect.poll(() => seen.value).toBe('relay-off')
    const inside = { ...address, endpoint: 'https://127.0.0.1/inside' }
    await expect(page.call('setPush', { address: inside })).rejects.toMatchObject({ fault: { code: 'push-endpoint' } })
    expect(seen.value).toBe('relay-off')
  })

  test('[APP-4.16] a removed account leaves nothing to the service worker', async ({ started, bob }) => {
    const { app, page } = started
    await meet(page, bob)
    await page.call('setPush', { address })
    await page.call('removeAccount', {})
    expect(app.pushShelf.table).toBeUndefined()
  })

  test('[APP-4.16] nor does one that another device has', async ({ started, world, bob }) => {
    const { app, page } = started
    await meet(page, bob)
    await page.call('setPush', { address })
    const { code } = await page.call('moveOut', {})
    const other = new TestApp(world, { directory: `${world.directory}/other` })
    await other.host.home.start()
    await other.page().call('moveIn', { code, fetchToken: crypto.randomUUID() })
    await expect.poll(() => app.host.home.stage.kind).toBe('elsewhere')
    expect(app.pushShelf.table).toBeUndefined()
    await other.host.home.stop()
  })

  test('[APP-4.17] a notification that said other words than its message is reported once', async ({
    started,
    bob,
  }) => {
    const { app, page } = started
    const chat = await meet(page, bob)
    await page.call('setPush', { address })
    const told = () => page.tidings.filter(({ kind }) => kind === 'preview-differs')
    const honest = await says(bob, app, 'the disk is full')
    const forged = await says(bob, app, 'good night')
    app.pushShelf.shown = [
      { message: honest, chat, preview: { text: 'the disk is full' } },
      { message: forged, chat, preview: { text: 'you have won' } },
      { message: 'a'.repeat(32) as MessageId, chat, preview: { text: 'not here yet' } },
    ]
    await says(bob, app, 'next')
    await expect.poll(() => app.pushShelf.shown).toHaveLength(1)
    expect(told()).toEqual([{ kind: 'preview-differs', chat, message: forged, from: 'bob', text: 'you have won' }])
  })

  test('[APP-4.17] an edited message is no such difference', async ({ started, bob }) => {
    const { app, page } = started
    const chat = await meet(page, bob)
    await page.call('setPush', { address })
    const message = await says(bob, app, 'teh disk')
    await bob.client.messages.edit(chatOf(app), { message, text: 'the disk' }, WITHIN)
    await expect.poll(() => app.account.client.messages.get(chat, message).text).toBe('the disk')
    app.pushShelf.shown = [{ message, chat, preview: { text: 'teh disk' } }]
    await says(bob, app, 'next')
    await expect.poll(() => app.pushShelf.shown).toEqual([])
    expect(page.tidings.filter(({ kind }) => kind === 'preview-differs')).toEqual([])
  })
})

describe('a muted chat', () => {
  test('[APP-4.18] alerts of a mention, and of nothing else', async ({ started, bob }) => {
    const { app, page } = started
    await meet(page, bob)
    await page.call('createGroup', { name: 'Harbour', members: [bob.client.account] })
    const group = () => bob.client.chats.list().find(({ type }) => type === 'group')?.id
    await expect.poll(group).toBeDefined()
    const chat = group() as ChatId
    await page.call('markChat', { chat, muted: true })
    const mentions = [{ user: app.account.client.account, offset: 0, length: 6 }]
    await bob.client.messages.sendText(chat, { text: 'all quiet' }, WITHIN)
    await bob.client.messages.sendText(chat, { text: '@alice look', mentions }, WITHIN)
    const alerts = () => page.tidings.filter(({ kind }) => kind === 'alert')
    await expect.poll(alerts).toMatchObject([{ chat, isMention: true }])
  })
})
