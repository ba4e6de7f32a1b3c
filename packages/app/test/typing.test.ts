// Typing in the app: shown and told, unless the owner has switched it off.
import { type ChatId, clientLimits } from '@postern/protocol'
import { ManualClock, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { typingText } from '../src/conversation/typing-text.ts'
import { TypingSigns } from '../src/conversation/writing/typing-signs.ts'
import { language } from '../src/i18n/language.ts'
import { test as base } from './app-fixtures.ts'
import { TestApp } from './app-world.ts'
import { timingOf } from './conversation-fixtures.ts'

/** All clocks are one, and it stands still: on a busy machine, typing would be over before it is shown. */
const test = base
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('alice', ({ world, clock }) => world.person('alice', { clock }))
  .extend('talk', async ({ world, alice, clock }, { onCleanup }) => {
    const { app, page } = await TestApp.begin(world, { clock })
    onCleanup(() => app.host.home.stop())
    await page.call('openInvite', { link: alice.client.identity.me().inviteUrl })
    const toApp = app.account.client.account as string as ChatId
    await alice.client.messages.sendText(toApp, { text: 'hello' }, WITHIN)
    await expect.poll(() => app.account.client.messages.list(alice.chatId, { limit: 1 })).toHaveLength(1)
    return { app, page, toApp }
  })

describe('typing', () => {
  test('[APP-10.21] every page sees who is typing, until it ends', async ({ alice, clock, talk }) => {
    const { app, page, toApp } = talk
    const seen = page.watch('typing')
    expect(seen.value).toEqual({})
    await alice.client.typing.send(toApp, WITHIN)
    await expect.poll(() => seen.value).toEqual({ [alice.id]: ['alice'] })
    expect(app.page().watch('typing').value).toEqual({ [alice.id]: ['alice'] })
    clock.advance(clientLimits.typingShownMs)
    await expect.poll(() => seen.value).toEqual({})
  })

  test('[APP-10.22] what a person types is told to the other', async ({ alice, talk }) => {
    const { page, toApp } = talk
    await page.call('typing', { chat: alice.id })
    await expect.poll(() => alice.client.typing.now().map(({ chat }) => chat)).toEqual([toApp])
    await expect(page.call('typing', { chat: 'nobody' })).rejects.toThrow()
  })

  test('[APP-13.13] switched off, nothing is told and nothing is shown', async ({ alice, clock, talk }) => {
    const { page, toApp, app } = talk
    const seen = page.watch('typing')
    const told: string[] = []
    alice.client.typing.onChange(({ state }) => told.push(state))
    await page.call('setSettings', { typing: false })
    await page.call('typing', { chat: alice.id })
    await alice.client.typing.send(toApp, WITHIN)
    await expect.poll(() => app.account.client.typing.now()).toHaveLength(1)
    expect([seen.value, app.account.typing.names()]).toEqual([{}, {}])
    // A message comes after everything that was sent before it.
    await app.account.client.messages.sendText(alice.chatId, { text: 'after it' }, WITHIN)
    await alice.hears('after it')
    expect(told).toEqual([])
    await page.call('setSettings', { typing: true })
    await expect.poll(() => seen.value).toEqual({ [alice.id]: ['alice'] })
    clock.advance(1)
  })
})

describe('the line', () => {
  const lines = (type: 'private' | 'group') =>
    [[], ['Ann'], ['Ann', 'Bob'], ['Ann', 'Bob', 'Cy'], Array.from({ length: 5 }, String)].map(names =>
      typingText(names, type)?.replaceAll(/[\u2068\u2069]/g, ''),
    )

  base('[APP-10.23] has no name in a private chat, and in a group two names or a number', ({ onTestFinished }) => {
    const before = language.value
    onTestFinished(() => {
      language.value = before
    })
    language.value = 'en'
    expect(lines('private').slice(0, 2)).toEqual([undefined, 'typing…'])
    expect(lines('group')).toEqual([
      undefined,
      'Ann is typing…',
      'Ann and Bob are typing…',
      '3 people are typing…',
      '5 people are typing…',
    ])
    language.value = 'ru'
    expect(lines('private')[1]).toBe('печатает…')
    expect(lines('group').slice(1)).toEqual([
      'Ann печатает…',
      'Ann и Bob печатают…',
      '3 человека печатают…',
      '5 человек печатают…',
    ])
  })

  base('[APP-11.14] the first key tells, and later ones after some seconds; a stored draft does not', () => {
    const clock = new ManualClock()
    let told = 0
    const signs = new TypingSigns(timingOf(clock), () => told++, 'a draft')
    signs.changed('a draft')
    expect(told).toBe(0)
    for (const text of ['a draft.', 'a draft..', 'a draft...']) signs.changed(text)
    expect(told).toBe(1)
    clock.advance(clientLimits.typingSentEveryMs)
    signs.changed('a draft.')
    expect(told).toBe(2)
    signs.changed('')
    expect(told).toBe(2)
    signs.changed('n')
    expect(told).toBe(3)
  })
})
