// Shows one notification for each chat, with the number of messages that it stands for.
import type { Settings } from '../contract/settings.ts'
import type { NotificationTexts } from './notification-words.ts'

const APP_NAME = 'Postern'
const VIBRATION_MS = [120, 60, 120]

/** A title and words that the person does not want to see are empty. `chat` is empty for a chat that is not known here. */
export type ChatNotification = {
  chat: string
  title: string
  words: string
  count: MessageCount
  isMention: boolean
  isSilent: boolean
}

/** A page counts one message after another; a push says how many have come since the device was last connected. */
type MessageCount = { by: 'page' } | { by: 'push'; count: number }

/** Read at a click, by the next notification of the chat, and when it is closed. `isNamed`: it names the chat. */
export type NotificationData = { chat: string; paged: number; pushed: number; shownMs: number; isNamed: boolean }

type NotificationContext = {
  registration: Pick<ServiceWorkerRegistration, 'getNotifications' | 'showNotification'>
  texts: NotificationTexts
  settings: Pick<Settings, 'sound' | 'vibrate'>
  nowMs: number
}

/** Newer than the DOM types of the compiler. */
type AllOptions = NotificationOptions & { renotify?: boolean; vibrate?: number[] }

/** The tag collapses the messages of a chat. All chats that are not known here share one. */
const tagOf = (chat: string): string => chat || 'unknown-chat'

function counted({ count }: ChatNotification, earlier: NotificationData | undefined) {
  const { paged, pushed } = earlier ?? { paged: 0, pushed: 0 }
  return count.by === 'page' ? { paged: paged + pushed + 1, pushed: 0 } : { paged, pushed: count.count }
}

type TextContext = { texts: NotificationTexts; count: number }

export function notificationText({ title, words, isMention }: ChatNotification, { texts, count }: TextContext) {
  const many = texts.newMessages(count)
  if (title === '') return { title: APP_NAME, body: many }
  const body = words || (isMention ? texts.mention : many)
  // The body says how many there are, unless it shows the words of the newest.
  return { title: count > 1 && body !== many ? `${title} (${count})` : title, body }
}

export async function showNotification(of: ChatNotification, context: NotificationContext): Promise<void> {
  const { registration, texts, settings, nowMs } = context
  const tag = tagOf(of.chat)
  const [earlier] = await registration.getNotifications({ tag })
  const counts = counted(of, earlier?.data as NotificationData | undefined)
  const data: NotificationData = { chat: of.chat, ...counts, shownMs: nowMs, isNamed: of.title !== '' }
  const { title, body } = notificationText(of, { texts, count: data.paged + data.pushed })
  const isSilent = of.isSilent || !settings.sound
  const options: AllOptions = {
    body,
    tag,
    lang: texts.lang,
    icon: '/icon-192.png',
    badge: '/icon-192.png',
    data,
    silent: isSilent,
    renotify: !isSilent,
    // A silent notification with a vibration is refused.
    ...(!isSilent && { vibrate: settings.vibrate ? VIBRATION_MS : [] }),
  }
  await registration.showNotification(title, options)
}

type NotificationSource = Pick<ServiceWorkerRegistration, 'getNotifications'>

/**
 * Also those of chats that were not known: a person who reads here sees the new ones in the list. A notification that
 * was shown after `nowMs` stays: the browser may take its time, and nobody has seen that one.
 */
export async function closeNotifications(
  chat: string,
  { registration, nowMs }: { registration: NotificationSource; nowMs: number },
): Promise<void> {
  for (const tag of [tagOf(chat), tagOf('')])
    await closeWhere(registration, { filter: { tag }, isOver: ({ shownMs = 0 }) => shownMs <= nowMs })
}

/** At any time after the lock: a locked app shows only notifications that name nothing, and those stay. */
export async function closeNamed(registration: NotificationSource): Promise<void> {
  await closeWhere(registration, { isOver: ({ isNamed = true }) => isNamed })
}

type ShownData = Partial<NotificationData>

async function closeWhere(
  registration: NotificationSource,
  { filter, isOver }: { filter?: GetNotificationOptions; isOver: (data: ShownData) => boolean },
): Promise<void> {
  for (const shown of await registration.getNotifications(filter))
    if (isOver((shown.data ?? {}) as ShownData)) shown.close()
}
