// The texts of notifications, the browsers that support them, and the time at which they are offered.
import { describe, expect, test } from 'vitest'
import type { ChatLine } from '../src/contract/objects.ts'
import { notificationWords } from '../src/notifications/notification-words.ts'
import {
  type ChatNotification,
  closeNamed,
  closeNotifications,
  notificationText,
} from '../src/notifications/show-notification.ts'
import { hasExchange } from '../src/push/offer-time.ts'
import { pushSupportOf } from '../src/push/push-support.ts'

describe('a notification', () => {
  const of = (fields: Partial<ChatNotification>): ChatNotification => ({
    chat: 'c',
    title: '',
    words: '',
    count: { by: 'page' },
    isMention: false,
    isSilent: false,
    ...fields,
  })

  test('[APP-7.19] shows as much as the level allows', () => {
    const texts = notificationWords('en')
    const shown = (fields: Partial<ChatNotification>) => notificationText(of(fields), { texts, count: 1 })
    expect(shown({})).toEqual({ title: 'Postern', body: 'New message' })
    expect(shown({ isMention: true })).toEqual({ title: 'Postern', body: 'New message' })
    expect(shown({ title: 'Harbour' })).toEqual({ title: 'Harbour', body: 'New message' })
    expect(shown({ title: 'Harbour', isMention: true })).toEqual({ title: 'Harbour', body: 'You were mentioned' })
    expect(shown({ title: 'Harbour', words: 'disk full' })).toEqual({ title: 'Harbour', body: 'disk full' })
  })

  const shownWith = (all: Record<string, object | undefined>) => {
    const closed: string[] = []
    const shown = Object.entries(all).map(([tag, data]) => ({ tag, data, close: () => closed.push(tag) }))
    const getNotifications = async (filter?: GetNotificationOptions) =>
      shown.filter(({ tag }) => filter?.tag === undefined || tag === filter.tag) as never[]
    return { closed, registration: { getNotifications } }
  }

  test('[APP-7.24] that is shown after its chat was read stays', async () => {
    const { closed, registration } = shownWith({
      read: { shownMs: 1_000 },
      again: { shownMs: 1_001 },
      old: undefined,
      other: { shownMs: 900 },
      'unknown-chat': { shownMs: 900 },
    })
    for (const chat of ['read', 'again', 'old']) await closeNotifications(chat, { registration, nowMs: 1_000 })
    expect(new Set(closed)).toEqual(new Set(['read', 'old', 'unknown-chat']))
  })

  test('[APP-7.24] that names no chat stays when the app is locked', async () => {
    const { closed, registration } = shownWith({
      named: { isNamed: true },
      unnamed: { isNamed: false },
      old: undefined,
    })
    await closeNamed(registration)
    expect(closed).toEqual(['named', 'old'])
  })

  test('[APP-7.20] of several messages says how many there are, in the language of the person', () => {
    const shown = (fields: Partial<ChatNotification>, count: number) =>
      notificationText(of(fields), { texts: notificationWords('en'), count })
    expect(shown({}, 3)).toEqual({ title: 'Postern', body: '3 new messages' })
    expect(shown({ title: 'Harbour' }, 3)).toEqual({ title: 'Harbour', body: '3 new messages' })
    expect(shown({ title: 'Harbour', words: 'disk full' }, 3)).toEqual({ title: 'Harbour (3)', body: 'disk full' })
    const russian = (count: number) => notificationText(of({}), { texts: notificationWords('ru'), count }).body
    expect([1, 3, 5, 21].map(russian)).toEqual([
      'Новое сообщение',
      '3 новых сообщения',
      '5 новых сообщений',
      '21 новое сообщение',
    ])
  })
})

describe('support', () => {
  const desk = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)', maxTouchPoints: 0, serviceWorker: {} }
  const whole = { Notification: { permission: 'default' as const }, PushManager: {}, navigator: desk }

  test('[APP-13.8] is what the browser can do and the person has allowed', () => {
    expect(pushSupportOf(whole)).toBe('unasked')
    expect(pushSupportOf({ ...whole, Notification: { permission: 'granted' } })).toBe('granted')
    expect(pushSupportOf({ ...whole, Notification: { permission: 'denied' } })).toBe('denied')
    expect(pushSupportOf({ navigator: desk, Notification: { permission: 'granted' } })).toBe('no-push')
    expect(pushSupportOf({ navigator: desk })).toBe('missing')
  })

  test('[APP-13.8] on an iPhone or iPad is for apps on the home screen', () => {
    const phone = { ...desk, userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)', maxTouchPoints: 5 }
    const tablet = { ...desk, userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', maxTouchPoints: 5 }
    expect(pushSupportOf({ navigator: phone })).toBe('home-screen')
    expect(pushSupportOf({ ...whole, navigator: tablet })).toBe('home-screen')
    expect(pushSupportOf({ ...whole, navigator: { ...phone, standalone: true } })).toBe('unasked')
    expect(pushSupportOf({ ...whole, navigator: { ...tablet, maxTouchPoints: 0 } })).toBe('unasked')
  })
})

describe('notifications', () => {
  const lineOf = (from: string, state: ChatLine['state'] = 'active') =>
    ({ state, last: { kind: 'message', message: { from: { id: from } } } }) as ChatLine

  test('[APP-13.9] are offered after the first exchange', () => {
    const given = { messagesSent: 1, me: 'alice' }
    expect(hasExchange({ ...given, chats: [] })).toBe(false)
    expect(hasExchange({ ...given, chats: [lineOf('alice')] })).toBe(false)
    expect(hasExchange({ ...given, chats: [lineOf('bob')], messagesSent: 0 })).toBe(false)
    expect(hasExchange({ ...given, chats: [lineOf('bob', 'request')] })).toBe(false)
    expect(hasExchange({ ...given, chats: [lineOf('alice'), lineOf('bob')] })).toBe(true)
  })
})
