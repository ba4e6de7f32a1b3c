// The frame around the screens: missing browser features, shown panes, counts, and reminders.
import { ManualClock } from '@postern/testkit'
import { expect, test } from 'vitest'
import { needsKeeping } from '../src/chat-list/keep-reminder.ts'
import type { BackupState } from '../src/contract/settings.ts'
import { looksNew } from '../src/frame/newcomer.ts'
import { chatBeside, chatSeen, panesFor } from '../src/frame/pane-plan.ts'
import { lackOf } from '../src/frame/support.ts'
import { RestingCount, unreadOf } from '../src/frame/unread.ts'
import { type AppRoute, pathOf, routeOf } from '../src/router.ts'
import { timingOf } from './conversation-fixtures.ts'

const whole = {
  isSecureContext: true,
  navigator: { storage: { getDirectory: () => undefined }, locks: {} },
  crypto: { subtle: {} },
  BroadcastChannel: class {
    close(): void {}
  },
  Worker: Object,
  WebAssembly: {},
  indexedDB: {},
  sessionStorage: {},
  Promise: { withResolvers: () => undefined },
  AbortSignal: { any: () => undefined },
  Intl: { Segmenter: Object },
  HTMLElement: { prototype: { popover: null } },
  CSS: { supports: () => true },
}

test('[APP-7.1] A page that cannot run says which it is: an address without HTTPS, or a browser without what is needed', () => {
  expect(lackOf(whole)).toBeUndefined()
  expect(lackOf({ ...whole, navigator: { locks: {} } })).toBe('old-browser')
  expect(lackOf({ ...whole, navigator: { storage: whole.navigator.storage } })).toBe('old-browser')
  expect(lackOf({ ...whole, crypto: {} })).toBe('old-browser')
  const parts = ['WebAssembly', 'Worker', 'BroadcastChannel', 'Promise', 'AbortSignal', 'Intl', 'HTMLElement', 'CSS']
  const without = parts.map(part => lackOf({ ...whole, [part]: undefined }))
  expect(without).toEqual(parts.map(() => 'old-browser'))
  // As a browser looks over plain HTTP: it hides the rest, and is not to blame.
  expect(lackOf({ isSecureContext: false, navigator: {} })).toBe('insecure')
})

test('[APP-7.16] A browser that has what is needed and refuses it says so, and is not called old', () => {
  const refuse = (): never => {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  }
  class Refusing {
    constructor() {
      refuse()
    }
    close(): void {}
  }
  const blocked = Object.defineProperty({ ...whole }, 'sessionStorage', { get: refuse })
  expect(lackOf(blocked)).toBe('storage-refused')
  expect(lackOf({ ...whole, BroadcastChannel: Refusing })).toBe('storage-refused')
  // As a browser inside of another app has it.
  expect(lackOf({ ...whole, sessionStorage: null })).toBe('storage-refused')
  expect(lackOf({ ...whole, indexedDB: null })).toBe('storage-refused')
})

test('[APP-7.2] What is told about a chat stands beside that chat where there is room, and in its place where there is not', () => {
  for (const screen of ['chat-info', 'media'] as const) {
    const info: AppRoute = { screen, chat: 'c' }
    expect(panesFor(info, { hasThird: true })).toEqual({ main: { screen: 'chat', chat: 'c' }, info })
    expect(panesFor(info, { hasThird: false })).toEqual({ main: info })
  }
  expect(panesFor({ screen: 'chats' }, { hasThird: true })).toEqual({})
})

test('[APP-7.2] What is told about a person stands beside the conversation from which somebody came', () => {
  const chat: AppRoute = { screen: 'chat', chat: 'c' }
  for (const person of [
    { screen: 'person', account: 'a' },
    { screen: 'verify', account: 'a' },
  ] as const) {
    const besideChat = chatBeside(person, chatBeside(chat, undefined))
    expect(panesFor(person, { hasThird: true, besideChat })).toEqual({ main: chat, info: person })
    expect(panesFor(person, { hasThird: false, besideChat })).toEqual({ main: person })
    expect(panesFor(person, { hasThird: true, besideChat: chatBeside(person, undefined) })).toEqual({ main: person })
    expect(chatSeen(person, { hasThird: true, besideChat })).toBe('c')
  }
  expect(chatBeside({ screen: 'settings' }, 'c')).toBeUndefined()
  expect(chatBeside({ screen: 'chat-info', chat: 'd' }, 'c')).toBe('d')
})

const GROUP = 'a'.repeat(26)
const PERSON = 'a'.repeat(32)

test('[APP-7.3] Every screen has an address behind the #, and what is not understood is the list of chats', () => {
  const routes: AppRoute[] = [
    { screen: 'chats' },
    { screen: 'chat', chat: GROUP },
    { screen: 'chat', chat: GROUP, message: 'm' },
    { screen: 'chat-info', chat: GROUP },
    { screen: 'media', chat: GROUP },
    { screen: 'person', account: PERSON },
    { screen: 'verify', account: PERSON },
    { screen: 'new-chat' },
    { screen: 'new-group' },
    { screen: 'add-members', chat: GROUP },
    { screen: 'group-link', chat: GROUP },
    { screen: 'settings' },
    { screen: 'settings', part: 'keep-account' },
  ]
  for (const route of routes) expect(routeOf(pathOf(route))).toEqual(route)
  for (const hash of [
    '',
    '#',
    '#nonsense',
    '#settings/nonsense',
    '#__proto__/x',
    '#constructor',
    '#c/x',
    '#p/y',
    '#info/',
  ])
    expect(['chats', 'settings']).toContain(routeOf(hash).screen)
})

test('[APP-7.4] The title counts unread messages of chats that are neither muted nor archived, and a request as one', () => {
  const chat = { unread: 3, muted: false, archived: false, state: 'active' as const }
  expect(unreadOf([chat, { ...chat, muted: true }, { ...chat, archived: true }])).toBe(3)
  expect(unreadOf([{ ...chat, state: 'request', unread: 5000 }])).toBe(1)
  expect(unreadOf([{ ...chat, state: 'request', unread: 0 }])).toBe(0)
})

test('[APP-7.13] The title changes when the count has rested: a message that is read where it comes does not make it flicker', () => {
  const clock = new ManualClock()
  const shown: number[] = []
  const count = new RestingCount(timingOf(clock), now => shown.push(now))
  count.note(0)
  count.note(1)
  clock.advance(500)
  count.note(0)
  clock.advance(10_000)
  expect(shown).toEqual([])
  count.note(2)
  clock.advance(600)
  count.note(3)
  clock.advance(699)
  expect(shown).toEqual([])
  clock.advance(1)
  expect(shown).toEqual([3])
})

test('[APP-7.5] A person is reminded to keep the account after a day or ten messages, until it is kept, and again when people were added', () => {
  const day = 86_400_000
  const young: BackupState = {
    persisted: true,
    recoveryIsOld: false,
    usedBytes: 0,
    quotaBytes: 0,
    accountMadeMs: 1_000,
    messagesSent: 0,
  }
  expect(needsKeeping(young, 1_000 + day - 1)).toBe(false)
  expect(needsKeeping(young, 1_000 + day)).toBe(true)
  expect(needsKeeping({ ...young, messagesSent: 10 }, 1_000)).toBe(true)
  // A clock that was set back does not reduce the sent messages.
  expect(needsKeeping({ ...young, messagesSent: 10 }, -day)).toBe(true)
  expect(needsKeeping({ ...young, messagesSent: 10, recoverySavedMs: 5 }, day)).toBe(false)
  expect(needsKeeping({ ...young, messagesSent: 10, backupSavedMs: 5 }, day)).toBe(false)
  expect(needsKeeping({ ...young, recoverySavedMs: 5, recoveryIsOld: true }, 1_000)).toBe(true)
})

test('[APP-7.11] Nobody is alerted of a chat that can be seen, also beside what is told about it', () => {
  expect(chatSeen({ screen: 'chat', chat: 'c' }, { hasThird: false })).toBe('c')
  expect(chatSeen({ screen: 'chat-info', chat: 'c' }, { hasThird: true })).toBe('c')
  expect(chatSeen({ screen: 'chat-info', chat: 'c' }, { hasThird: false })).toBeUndefined()
  expect(chatSeen({ screen: 'settings' }, { hasThird: true })).toBeUndefined()
})

test('[APP-8.17] A browser is new when nothing was noted and it has no folder of an account, or none was noted', async () => {
  const browser = (noted: string | null, folder: 'there' | 'NotFoundError' | 'SecurityError') => ({
    localStorage: { getItem: () => noted },
    navigator: {
      storage: {
        getDirectory: async () => {
          if (folder === 'SecurityError') throw new DOMException('denied', folder)
          const getDirectoryHandle = async () => {
            if (folder !== 'there') throw new DOMException('none', folder)
          }
          return { getDirectoryHandle } as never
        },
      },
    },
  })
  expect(await looksNew(browser(null, 'NotFoundError'))).toBe(true)
  expect(await looksNew(browser(null, 'there'))).toBe(false)
  expect(await looksNew(browser('none', 'there'))).toBe(true)
  expect(await looksNew(browser('some', 'NotFoundError'))).toBe(false)
  await expect(looksNew(browser(null, 'SecurityError'))).rejects.toThrow('denied')
})
