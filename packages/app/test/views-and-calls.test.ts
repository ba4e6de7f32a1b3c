// The views and calls of pages: sent when they change, answered once, and safe from pages that send anything.
import { appLimits, type ChatId, contentLimits } from '@postern/protocol'
import { parseGroupLink } from '@postern/protocol/content'
import { WITHIN } from '@postern/testkit'
import { blackPng } from '@postern/testkit/pictures'
import { describe, expect } from 'vitest'
import { test } from './app-fixtures.ts'
import { TestApp } from './app-world.ts'

const somebody = 'abcdefghijklmnopqrstuvwxyz234567'

describe('a view', () => {
  test('[APP-1.1] is shown at once, and again whenever it has changed', async ({ started: { page }, bob }) => {
    const chats = page.watch('chats')
    expect(chats.value).toEqual([])
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    await expect
      .poll(() => chats.value.map(({ name, state }) => ({ name, state })))
      .toEqual([{ name: 'bob', state: 'active' }])
  })

  test('[APP-1.2] that has not changed is not posted, whatever was committed', async ({
    started: { app, page },
    bob,
  }) => {
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    const me = page.watch('me')
    const settings = page.watch('settings')
    await page.call('send', { chat: bob.chatId, text: 'hello' })
    await bob.hears('hello')
    await expect.poll(() => app.account.outgoing.in(bob.chatId)).toEqual([])
    expect({ me: me.count, settings: settings.count }).toEqual({ me: 1, settings: 1 })
  })

  test('[APP-1.3] is the same on every page, and ends with its watch and with its page', async ({
    started: { app, page },
  }) => {
    const other = app.page()
    const here = page.watch('settings')
    const there = other.watch('settings')
    await page.call('setSettings', { scheme: 'dark' })
    await expect.poll(() => [here.value.scheme, there.value.scheme]).toEqual(['dark', 'dark'])
    there.end()
    const third = app.page()
    const left = third.watch('settings')
    third.leave()
    await page.call('setSettings', { scheme: 'light' })
    await expect.poll(() => here.value.scheme).toBe('light')
    expect([there.value.scheme, left.value.scheme]).toEqual(['dark', 'dark'])
  })

  test('[APP-1.4] that cannot be read leaves what the page has, and keeps no other from being shown', async ({
    started: { app, page },
  }) => {
    const settings = page.watch('settings')
    page.watchAny('history', [somebody, { at: 'end' }, -1])
    page.watchAny('chat', [17])
    page.watchAny('no such view', [])
    page.watchAny('__proto__', [])
    await page.call('setSettings', { notify: 'words' })
    await expect.poll(() => settings.value.notify).toBe('words')
    expect(app.lines.length).toBeGreaterThan(2)
  })

  test('[APP-1.5] is one of so many that a page may watch at a time', async ({ started: { app, page } }) => {
    for (let at = 0; at < 10_000; at++) page.watchAny('me', [])
    const views = page.posted.filter(({ kind }) => kind === 'views')
    expect(views).toHaveLength(appLimits.watchesPerPageMax)
    expect(app.page().watch('me').count).toBe(1)
  })

  test('[APP-1.6] of the account is not there before the account is, and comes with it', async ({ world }) => {
    const app = new TestApp(world)
    const page = app.page()
    const stage = page.watch('stage')
    const me = page.watch('me')
    expect([stage.count, me.count]).toEqual([0, 0])
    await app.host.home.start()
    await expect.poll(() => stage.value).toEqual({ kind: 'no-account' })
    await page.call('createAccount', { name: 'alice' })
    await expect.poll(() => [stage.value.kind, me.value?.name]).toEqual(['open', 'alice'])
    await app.host.home.stop()
  })
})

const urlOf = (width: number): string => `data:image/png;base64,${blackPng(width, 1).toString('base64')}`

describe('the picture of a person', () => {
  test('[APP-1.17] is known, changes when it is changed, and is not told again with each message', async ({
    started: { app, page },
    bob,
  }) => {
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    const chats = page.watch('chats')
    const open = page.watch('chat', bob.chatId)
    const faces = page.watch('faces')
    expect(faces.value).toEqual({})
    const paint = async (byte: number) => {
      await bob.client.identity.setProfile({ avatar: blackPng(byte, 1) })
      await bob.say(app.account.client.account as string as ChatId, 'like this')
    }
    await paint(1)
    await expect.poll(() => faces.value[bob.id]).toBe(urlOf(1))
    await paint(2)
    await expect.poll(() => faces.value[bob.id]).toBe(urlOf(2))
    const before = page.posted.length
    await bob.say(app.account.client.account as string as ChatId, 'and a word')
    await expect.poll(() => JSON.stringify([chats.value, open.value])).toContain('and a word')
    expect(JSON.stringify(page.posted.slice(before))).not.toContain('data:image')
  })

  test('[APP-1.17] is there as soon as there is a chat with somebody who was known from a group', async ({
    started: { app, page },
    bob,
    carol,
  }) => {
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    await carol.client.identity.setProfile({ avatar: blackPng(3, 1) })
    const me = app.account.client.account
    const { id } = await bob.client.chats.createGroup({ name: 'three', members: [me, carol.id] }, WITHIN)
    await carol.next('chat', event => event.chat_id === id)
    await page.call('accept', { chat: id })
    await carol.say(id, 'hello')
    const person = page.watch('person', carol.id)
    await expect.poll(() => person.value.avatar).toBe(urlOf(3))
    const faces = page.watch('faces')
    await page.call('send', { chat: carol.chatId, text: 'to you alone' })
    await expect.poll(() => faces.value[carol.id]).toBe(urlOf(3))
  })

  test('[APP-1.21] of a stranger is not known before the request is accepted', async ({ started, mallory }) => {
    const { app, page } = started
    const chats = page.watch('chats')
    const faces = page.watch('faces')
    await mallory.client.identity.setProfile({ avatar: blackPng(4, 1) })
    await mallory.say(app.account.client.account as string as ChatId, 'look at me')
    await expect.poll(() => chats.value.map(({ state }) => state)).toEqual(['request'])
    const person = page.watch('person', mallory.id)
    const known = () => app.account.client.identity.profileOf(mallory.id).avatar
    await expect.poll(known).toBe(urlOf(4))
    expect(faces.value).toEqual({})
    expect(person.value).not.toHaveProperty('avatar')
    await page.call('accept', { chat: mallory.chatId })
    await expect.poll(() => faces.value).toEqual({ [mallory.id]: urlOf(4) })
    expect(page.watch('person', mallory.id).value.avatar).toBe(urlOf(4))
  })
})

test('[APP-1.24] the picture of a group is known once its request is accepted, and follows every change', async ({
  started: { app, page },
  mallory,
}) => {
  const chats = page.watch('chats')
  const faces = page.watch('faces')
  const members = [app.account.client.account]
  const { id: chat } = await mallory.client.chats.createGroup({ name: 'three', members }, WITHIN)
  await mallory.client.chats.setGroupPicture(chat, blackPng(5, 1), WITHIN)
  await mallory.client.chats.renameGroup(chat, 'seen', WITHIN)
  await expect.poll(() => chats.value.map(({ name, state }) => [name, state])).toEqual([['seen', 'request']])
  expect(faces.value).toEqual({})
  await page.call('accept', { chat })
  await expect.poll(() => faces.value).toEqual({ [chat]: urlOf(5) })
  await page.call('setGroupPicture', { chat, picture: new Blob([new Uint8Array(blackPng(6, 1))]) })
  await expect.poll(() => faces.value).toEqual({ [chat]: urlOf(6) })
  await expect.poll(() => mallory.client.chats.groupPictures()).toEqual([{ chat, picture: urlOf(6) }])
  const film = new Blob([new Uint8Array(contentLimits.groupPictureBytesMax + 1)])
  await expect(page.call('setGroupPicture', { chat, picture: film })).rejects.toThrow('call-malformed')
  await page.call('setGroupPicture', { chat, picture: null })
  await expect.poll(() => faces.value).toEqual({})
})

test('[APP-1.26] the link to a group, the people who ask by it and what one has asked for follow every change', async ({
  started: { app, page },
  mallory,
  bob,
}) => {
  const me = app.account.client.account
  const { chat } = await page.call('createGroup', { name: 'Boats', members: [bob.id] })
  const links = page.watch('groupLinks', chat)
  const detail = page.watch('chat', chat)
  await page.call('makeGroupLink', { chat })
  await page.call('makeGroupLink', { chat })
  expect(links.value).toHaveLength(1)
  const [{ token, url } = { token: '', url: '' }] = links.value
  for (const person of [mallory, bob]) await person.online()
  await mallory.client.groupLinks.ask(parseGroupLink(url), WITHIN)
  await expect.poll(() => detail.value?.joinRequests).toEqual([{ id: mallory.id, name: 'mallory' }])
  const answer = { chat, account: mallory.id, answer: 'decline' } as const
  await page.call('answerJoin', answer)
  await page.call('answerJoin', answer)
  await expect.poll(() => detail.value?.joinRequests).toBeUndefined()
  await page.call('revokeGroupLink', { chat, token })
  await page.call('revokeGroupLink', { chat, token })
  expect(links.value).toEqual([])

  const asked = page.watch('asked')
  const theirs = await mallory.createGroup('Ships', [bob])
  const { url: link } = await mallory.client.groupLinks.make(theirs)
  expect(await page.call('askToJoin', { link })).toEqual({ state: 'waiting' })
  await expect.poll(() => asked.value).toMatchObject([{ account: mallory.id, title: 'Ships', state: 'waiting' }])
  const [{ account, token: sent } = { account: '', token: '' }] = asked.value
  await mallory.next('join_request')
  await mallory.client.groupLinks.decline(theirs, me)
  await expect.poll(() => asked.value).toMatchObject([{ state: 'declined' }])
  expect(await page.call('askToJoin', { link })).toEqual({ state: 'declined' })
  await page.call('forgetAsked', { account, token: sent })
  await page.call('forgetAsked', { account, token: sent })
  expect(asked.value).toEqual([])
})

describe('a call', () => {
  test('[APP-1.7] that is asked while the account is being opened waits for it', async ({ world }) => {
    const { app: before } = await TestApp.begin(world)
    await before.host.home.stop()
    const app = new TestApp(world)
    const page = app.page()
    const opening = app.host.home.start()
    await page.call('markChat', { chat: somebody, muted: true })
    await opening
    expect(app.account.marks.get(somebody).muted).toBe(true)
    await app.host.home.stop()
  })

  test('[APP-1.8] without an account is refused, and so is a second account', async ({ world }) => {
    const app = new TestApp(world)
    const page = app.page()
    await app.host.home.start()
    await expect(page.call('send', { chat: somebody, text: 'hello' })).rejects.toThrow('no-account')
    await expect(page.call('createAccount', { name: '' })).rejects.toThrow('bad-field')
    await page.call('createAccount', { name: 'alice' })
    const { id } = app.account.client.identity.me()
    await page.call('createAccount', { name: 'alice' })
    expect(app.account.client.identity.me().id).toBe(id)
    await app.host.home.stop()
  })

  test('[APP-1.9] asked by two pages under one key at the same moment is carried out once', async ({
    started: { app, page },
    bob,
  }) => {
    const other = app.page()
    const asked = { name: 'team', members: [bob.id] }
    const groups = await Promise.all([page, other].map(one => one.call('createGroup', asked, 'the key')))
    const again = await page.call('createGroup', asked, 'the key')
    expect(new Set([...groups, again].map(({ chat }) => chat)).size).toBe(1)
    expect(app.account.client.chats.list()).toHaveLength(1)
  })

  test('[APP-1.10] of any shape is answered, and breaks nothing', async ({ started: { app, page } }) => {
    const malformed: [string, unknown][] = [
      ['send', undefined],
      ['send', { chat: 'nobody', text: 'x' }],
      ['send', { chat: somebody, text: 17 }],
      ['send', { chat: somebody, text: 'x', mentions: 'all' }],
      ['sendFile', { chat: somebody, bytes: 'bytes', file: {} }],
      ['vote', { chat: somebody, message: somebody, options: [0.5] }],
      ['setSettings', { scheme: 'pink' }],
      ['looking', {}],
      ['search', { text: 'x', limit: -1 }],
    ]
    for (const [name, asked] of malformed) await expect(page.ask(name, asked)).rejects.toThrow('call-malformed')
    for (const name of ['no such call', 'constructor', '__proto__', 'toString'])
      await expect(page.ask(name, {})).rejects.toThrow('call-unknown')
    await page.call('setSettings', { sound: false })
    expect(app.account).toBeDefined()
  })

  test('[APP-1.11] that nobody foresaw is named internal, and said in the log', async ({ started: { app, page } }) => {
    app.account.marks.set = () => Promise.reject(new TypeError('no such thing'))
    await expect(page.call('markChat', { chat: somebody, muted: true })).rejects.toThrow('internal')
    expect(app.lines.some(({ text }) => text.includes('markChat'))).toBe(true)
  })

  test('[APP-1.12] removes the account with everything, and a new one can begin', async ({
    started: { app, page },
    bob,
  }) => {
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    await page.call('setSettings', { scheme: 'dark' })
    const before = app.account.client.account
    const stage = page.watch('stage')
    await page.call('removeAccount', {})
    await expect.poll(() => stage.value).toEqual({ kind: 'no-account' })
    await page.call('createAccount', { name: 'alice anew' })
    expect(app.account.client.account).not.toBe(before)
    expect([page.watch('chats').value, page.watch('settings').value.scheme]).toEqual([[], 'auto'])
  })
})

describe('a page', () => {
  test('[APP-1.13] that was silent for the longest makes room when too many have come', async ({
    started: { app, page },
  }) => {
    const settings = page.watch('settings')
    const silent = app.page().watch('settings')
    for (let at = 0; at < appLimits.pagesMax; at++) {
      await page.call('looking', { focused: true })
      app.page()
    }
    await page.call('setSettings', { sound: false })
    await expect.poll(() => settings.value.sound).toBe(false)
    expect(silent.value.sound).toBe(true)
  })

  test('[APP-1.14] sees a history with what it replies to, also where that is outside of the window', async ({
    started: { app, page },
    bob,
  }) => {
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    const chat = app.account.client.account as string as ChatId
    const first = await bob.say(chat, 'first')
    await bob.say(chat, 'second')
    await bob.client.messages.sendText(chat, { text: 'to the first', replyTo: first.id }, { timeoutMs: 60_000 })
    const history = page.watch('history', bob.chatId, { at: 'end' }, 1)
    await expect.poll(() => history.value.quoted?.[first.id]?.text).toBe('first')
    expect(history.value).toMatchObject({ hasOlder: true, hasNewer: false })
  })
})

describe('what is posted', () => {
  test('[APP-1.18] of a call comes before its answer: who is answered has seen what it changed', async ({
    started: { app, page },
    bob,
  }) => {
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    app.wire.cut()
    const outgoing = page.watch('outgoing', bob.chatId)
    await page.call('send', { chat: bob.chatId, text: 'hello' })
    expect(outgoing.value.map(({ body }) => body)).toEqual([{ kind: 'text', text: 'hello' }])
  })

  test('[APP-1.19] of the list of chats comes at once, and what changes within a tenth of a second together behind it', async ({
    world,
    clock,
    bob,
  }) => {
    const { app, page } = await TestApp.begin(world, { clock })
    try {
      await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
      clock.advance(appLimits.chatsRestMs)
      const chats = page.watch('chats')
      const before = chats.count
      await page.call('markChat', { chat: bob.chatId, pinned: true })
      expect([chats.count, chats.value[0]?.pinned]).toEqual([before + 1, true])
      await page.call('markChat', { chat: bob.chatId, muted: true })
      await page.call('markChat', { chat: bob.chatId, archived: true })
      expect([chats.count, chats.value[0]?.archived]).toEqual([before + 1, false])
      clock.advance(appLimits.chatsRestMs)
      expect([chats.count, chats.value[0]?.archived]).toEqual([before + 2, true])
      chats.end()
      await page.call('markChat', { chat: bob.chatId, archived: false })
      clock.advance(appLimits.chatsRestMs)
      expect(chats.count).toBe(before + 2)
    } finally {
      await app.host.home.stop()
    }
  })

  test('[APP-1.20] of words of others is posted at once; how far one’s own have come waits a moment for company', async ({
    world,
    bob,
  }) => {
    const held: (() => void)[] = []
    const { app, page } = await TestApp.begin(world, { later: run => void held.push(run) })
    try {
      await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
      const history = page.watch('history', bob.chatId, { at: 'end' }, 60)
      const shown = () =>
        history.value.rows.flatMap(row => (row.kind === 'message' ? [[row.message.text, row.message.status]] : []))
      await page.call('send', { chat: bob.chatId, text: 'are you there?' })
      await bob.hears('are you there?')
      await expect.poll(() => app.account.client.messages.history(bob.chatId, { limit: 1 }).rows).not.toEqual([])
      await expect.poll(() => held.length).toBeGreaterThan(0)
      expect(shown()).toEqual([])
      await bob.say(app.account.client.account as string as ChatId, 'I am')
      await expect.poll(() => shown().map(([text]) => text)).toEqual(['are you there?', 'I am'])
      await bob.client.messages.markRead(app.account.client.account as string as ChatId)
      await expect
        .poll(() => {
          for (const run of held.splice(0)) run()
          return shown()[0]
        })
        .toEqual(['are you there?', 'read'])
    } finally {
      await app.host.home.stop()
    }
  })
})

test('[APP-10.19] the end of a conversation grows by what comes, without losing its first row for each, until half of the rows go', async ({
  started: { app, page },
  bob,
}) => {
  await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
  const chat = app.account.client.account as string as ChatId
  const history = page.watch('history', bob.chatId, { at: 'end' }, 8)
  const texts = () => history.value.rows.flatMap(row => (row.kind === 'message' ? [row.message.text ?? ''] : []))
  const seen: string[][] = []
  for (let at = 0; at < 20; at++) {
    await bob.say(chat, `${at}`)
    await expect.poll(() => texts().at(-1)).toBe(`${at}`)
    seen.push(texts())
  }
  expect(Math.max(...seen.map(rows => rows.length))).toBe(8)
  const firsts = seen.map(rows => rows[0])
  expect(new Set(firsts).size).toBeLessThan(6)
  for (const rows of seen.slice(8)) expect(rows.length).toBeGreaterThanOrEqual(4)
  const first = history.value.rows[0]
  if (first?.kind !== 'message') throw new Error('nothing was said')
  for (const row of history.value.rows.slice(1, -1))
    if (row.kind === 'message')
      await bob.client.messages.delete(chat, { message: row.message.id, for: 'all' }, { timeoutMs: 60_000 })
  await expect.poll(() => [texts().length, history.value.hasOlder]).toEqual([4, true])
})
