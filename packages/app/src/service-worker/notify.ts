// Shows a notification for a push. Browsers require that every push shows something: whatever fails, "New message" is
// shown.
import { groupChatId } from '@postern/protocol'
import { type IncomingPush, type MessagePreview, openPreview, readPush } from '@postern/protocol/preview'
import { notificationWords } from '../notifications/notification-words.ts'
import {
  addPushed,
  claimShown,
  findPreviewKey,
  findPushChat,
  type NotifySettings,
  readPushSettings,
} from '../notifications/push-database.ts'
import { closeNamed, type NotificationData, showNotification } from '../notifications/show-notification.ts'
import { scope } from './scope.ts'

/** Nothing is known: neither a setting nor a chat. */
const unknown: NotifySettings = { notify: 'nothing', language: 'auto', sound: true, vibrate: true }

/** One after the other: two pushes of a chat that are handled together would not see each other's count. */
let last: Promise<void> = Promise.resolve()

export function notifyOf(text: string): Promise<void> {
  const shown = last.then(() => showPush(text))
  last = shown.catch(() => undefined)
  return shown
}

async function showPush(text: string): Promise<void> {
  try {
    const push = readPush(text)
    const settings = (await readPushSettings()) ?? unknown
    // A browser that was killed could not close what the unlocked app had shown.
    if (settings.notify === 'nothing') await closeNamed(scope.registration)
    await (push ? showMessage(push, settings) : showUnknown(settings))
  } catch {
    await showUnknown(unknown)
  }
}

const showUnknown = async (settings: NotifySettings): Promise<void> =>
  await showNotification(
    { chat: '', title: '', words: '', count: { by: 'push', count: 1 }, isMention: false, isSilent: false },
    { registration: scope.registration, texts: notificationWords(settings.language), settings, nowMs: Date.now() },
  )

async function showMessage(push: IncomingPush, settings: NotifySettings): Promise<void> {
  const { group, message, ts, count, attention } = push
  const known = await findPushChat(group).catch(() => undefined)
  const chat = known?.chat ?? ''
  const preview = settings.notify === 'words' && known ? await openPreview(findKey, push) : undefined
  // A push service may deliver a push again, and a page may have shown the message meanwhile.
  if (!(await claimShown({ message, chat: known?.chat ?? groupChatId(group), ts, isPush: true, preview }))) return
  const isMention = attention === 'mention'
  const isMuted = known?.muted === true && !isMention
  await showNotification(
    {
      chat,
      title: settings.notify === 'nothing' ? '' : (known?.title ?? ''),
      words: wordsOf(preview),
      count: { by: 'push', count },
      isMention,
      isSilent: isMuted,
    },
    { registration: scope.registration, texts: notificationWords(settings.language), settings, nowMs: Date.now() },
  )
  if (!known?.muted) await showBadge(chat, count)
}

const findKey = async (group: string, epoch: number): Promise<CryptoKey | undefined> =>
  await findPreviewKey({ group, epoch }).catch(() => undefined)

const wordsOf = (preview: MessagePreview | undefined): string => {
  if (!preview) return ''
  return preview.from ? `${preview.from}: ${preview.text}` : preview.text
}

/** A badge that cannot be shown is no reason to show "New message" as well. */
async function showBadge(chat: string, count: number): Promise<void> {
  try {
    if ('setAppBadge' in navigator) await navigator.setAppBadge(await addPushed(chat, count))
  } catch {
    // The page counts again when it is opened.
  }
}

/** Only the app can report a new subscription to the relay. Without an open page, the person has to open one. */
export async function askToRenew(): Promise<void> {
  const settings = (await readPushSettings().catch(() => undefined)) ?? unknown
  const { renew, lang } = notificationWords(settings.language)
  const data: NotificationData = { chat: '', paged: 0, pushed: 0, shownMs: Date.now(), isNamed: false }
  await scope.registration.showNotification('Postern', { body: renew, tag: 'renew', lang, icon: '/icon-192.png', data })
}
