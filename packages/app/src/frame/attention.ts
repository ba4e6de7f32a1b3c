// Signals for a person who looks elsewhere: the title, the badge, a notification, a sound. Also reports to the core
// what this page shows.

import { effect } from '@preact/signals'
import type { PushEvent } from '../contract/push-events.ts'
import { pageTiming } from '../conversation/timing.ts'
import { inBackground } from '../link/background.ts'
import { call, linkState, onPushEvent, watch } from '../link/link.ts'
import { showToast } from '../parts/toasts/toast-list.ts'
import { playTone } from '../parts/toasts/tone.ts'
import { go, route } from '../router.ts'
import { chatSeen } from './pane-plan.ts'
import { room } from './room.ts'
import { RestingCount, unreadOf } from './unread.ts'
import { frameWords } from './words.ts'

const APP_NAME = 'Postern'

function showUnread(count: number): void {
  document.title = count > 0 ? `(${count}) ${APP_NAME}` : APP_NAME
  for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]'))
    icon.href = count > 0 ? '/icon-unread.svg' : '/icon.svg'
  if ('setAppBadge' in navigator) inBackground(navigator.setAppBadge(count), 'no badge')
}

/** Private windows of some browsers have none. */
const serviceWorker = async (): Promise<ServiceWorkerRegistration | undefined> =>
  'serviceWorker' in navigator ? navigator.serviceWorker.getRegistration() : undefined

/** By the service worker if there is one: Android shows no other, and it outlives the tab. */
async function notify({ chat, title, text }: Extract<PushEvent, { kind: 'alert' }>): Promise<void> {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  const options = {
    body: text || frameWords.value.somethingNew,
    tag: chat,
    icon: '/icon-192.png',
    badge: '/icon-192.png',
    data: { chat },
  }
  const registration = await serviceWorker()
  if (registration?.active) return registration.showNotification(title || APP_NAME, options)
  new Notification(title || APP_NAME, options).addEventListener('click', () => openChat(chat))
}

async function withdraw(chat: string): Promise<void> {
  const registration = await serviceWorker()
  for (const shown of (await registration?.getNotifications({ tag: chat })) ?? []) shown.close()
}

function openChat(chat: string): void {
  focus()
  go({ screen: 'chat', chat })
}

function hear(tiding: PushEvent): void {
  switch (tiding.kind) {
    case 'toast':
      if (document.visibilityState === 'visible') showToast({ kind: 'bot', from: tiding.from, text: tiding.text })
      return
    case 'alert':
      // All pages receive it: one of them shows it.
      if (!linkState.value.leads) return
      if (tiding.sound) playTone()
      return inBackground(notify(tiding), 'no notification')
    case 'alert-over':
      if (linkState.value.leads) inBackground(withdraw(tiding.chat), 'a notification stays')
  }
}

/** Prevents alerts about visible messages. Sent again to every new core: it remembers no page. */
function tellLooking(): void {
  const chat = chatSeen(route.value, room.value)
  if (linkState.value.core !== 'talking') return
  const focused = document.visibilityState === 'visible' && document.hasFocus()
  inBackground(
    call('looking', chat === undefined ? { focused } : { chat, focused }),
    'the core does not know at what this page looks',
  )
}

export function startAttention(): void {
  const unread = new RestingCount(pageTiming, showUnread)
  watch('chats', [], chats => unread.note(unreadOf(chats)))
  onPushEvent(hear)
  effect(tellLooking)
  for (const kind of ['focus', 'blur']) addEventListener(kind, tellLooking)
  document.addEventListener('visibilitychange', tellLooking)
  if (!('serviceWorker' in navigator)) return
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ kind?: string; chat?: string }>) => {
    if (data.kind === 'open-chat' && data.chat) openChat(data.chat)
  })
}
