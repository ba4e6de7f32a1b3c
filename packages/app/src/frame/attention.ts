// Signals for a person who looks elsewhere: the title, the badge, a notification, a sound. Also reports to the core
// what this page shows.

import { effect, signal } from '@preact/signals'
import type { PushEvent } from '../contract/push-events.ts'
import { defaultSettings } from '../contract/settings.ts'
import { pageTiming } from '../conversation/timing.ts'
import { inBackground } from '../link/background.ts'
import { call, linkState, onPushEvent, watch } from '../link/link.ts'
import { lazyImport } from '../parts/lazy-import.ts'
import { showToast } from '../parts/toasts/toast-list.ts'
import { go, route } from '../router.ts'
import { chatSeen } from './pane-plan.ts'
import { room } from './room.ts'
import { RestingCount, unreadOf } from './unread.ts'

const APP_NAME = 'Postern'

const settings = signal(defaultSettings)

function showUnread(count: number): void {
  document.title = count > 0 ? `(${count}) ${APP_NAME}` : APP_NAME
  for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]'))
    icon.href = count > 0 ? '/icon-unread.svg' : '/icon.svg'
  if ('setAppBadge' in navigator) inBackground(navigator.setAppBadge(count), 'no badge')
  // The service worker counts on from here.
  if (linkState.value.leads)
    inBackground(
      notifications().then(({ setUnread }) => setUnread(count)),
      'no count',
    )
}

/** Private windows of some browsers have none. */
const serviceWorker = async (): Promise<ServiceWorkerRegistration | undefined> =>
  'serviceWorker' in navigator ? navigator.serviceWorker.getRegistration() : undefined

/** Needed when something arrives while nobody looks. */
const notifications = lazyImport(() => import('../push/show-alert.ts'))
const differences = lazyImport(() => import('../push/preview-differs.tsx'))

async function notify(alert: Extract<PushEvent, { kind: 'alert' }>): Promise<void> {
  const { showAlert } = await notifications()
  const registration = await serviceWorker()
  await showAlert(alert, { registration, settings: settings.value, open: () => openChat(alert.chat) })
}

async function withdraw(chat: string): Promise<void> {
  const nowMs = Date.now()
  const registration = await serviceWorker()
  if (registration?.active) await (await notifications()).closeNotifications(chat, { registration, nowMs })
}

async function tellDifference(difference: Extract<PushEvent, { kind: 'preview-differs' }>): Promise<void> {
  await (await differences()).tellDifference(difference)
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
      return inBackground(notify(tiding), 'no notification')
    case 'alert-over':
      if (linkState.value.leads) inBackground(withdraw(tiding.chat), 'a notification stays')
      return
    case 'preview-differs':
      if (linkState.value.leads) inBackground(tellDifference(tiding), 'a difference is not reported')
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
  watch('settings', [], next => (settings.value = next))
  onPushEvent(hear)
  effect(tellLooking)
  for (const kind of ['focus', 'blur']) addEventListener(kind, tellLooking)
  document.addEventListener('visibilitychange', tellLooking)
  if (!('serviceWorker' in navigator)) return
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ kind?: string; chat?: string }>) => {
    if (data.kind === 'open-chat' && data.chat) openChat(data.chat)
  })
}
