// Shows a page's own notification of a message, unless a push has shown it before.
import type { ChatId, MessageId } from '@postern/protocol'
import type { PushEvent } from '../contract/push-events.ts'
import type { Settings } from '../contract/settings.ts'
import { notificationWords } from '../notifications/notification-words.ts'
import { claimShown } from '../notifications/push-database.ts'
import { notificationText, showNotification } from '../notifications/show-notification.ts'
import { playTone } from '../parts/toasts/tone.ts'

export { setUnread } from '../notifications/push-database.ts'
export { closeNotifications } from '../notifications/show-notification.ts'

const VIBRATION_MS = 120

type Alert = Extract<PushEvent, { kind: 'alert' }>
type AlertPlace = { registration: ServiceWorkerRegistration | undefined; settings: Settings; open: () => void }

/** A call, and a request, have no message. A database that fails must not cost the notification. */
async function isNew({ chat, message, ts }: Alert): Promise<boolean> {
  if (message === undefined || ts === undefined) return true
  const notified = { message: message as MessageId, chat: chat as ChatId, ts, isPush: false }
  return await claimShown(notified).catch(() => true)
}

export async function showAlert(alert: Alert, { registration, settings, open }: AlertPlace): Promise<void> {
  if (!(await isNew(alert))) return
  if (settings.sound) playTone()
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') {
    if (settings.vibrate) navigator.vibrate?.(VIBRATION_MS)
    return
  }
  const { chat, title, text, isMention, asksToJoin } = alert
  const texts = notificationWords(settings.language)
  const shown = {
    chat,
    title,
    words: asksToJoin ? texts.asksToJoin : text,
    count: { by: 'page' },
    isMention,
    isSilent: false,
  } as const
  // By the service worker if there is one: Android shows no other, and it outlives the tab.
  if (registration?.active) return await showNotification(shown, { registration, texts, settings, nowMs: Date.now() })
  const { title: head, body } = notificationText(shown, { texts, count: 1 })
  const options = { body, tag: chat, icon: '/icon-192.png', silent: !settings.sound }
  new Notification(head, options).addEventListener('click', open)
}
