// The service worker: stores the app for a start without a network, and notifies of messages while no page is open.
import { closeNamed } from '../notifications/show-notification.ts'
import { answerFile, forgetOthers, isAppFile, keepBuild } from './app-files.ts'
import { askToRenew, notifyOf } from './notify.ts'
import { openPages, scope } from './scope.ts'

scope.addEventListener('install', event => event.waitUntil(keepBuild()))

scope.addEventListener('activate', event => event.waitUntil(forgetOthers().then(() => scope.clients.claim())))

scope.addEventListener('message', event => {
  if (event.data?.kind === 'take-over') event.waitUntil(scope.skipWaiting())
  if (event.data?.kind === 'locked') event.waitUntil(closeNamed(scope.registration))
})

scope.addEventListener('fetch', event => {
  if (isAppFile(event.request)) event.respondWith(answerFile(event.request))
})

scope.addEventListener('push', event => event.waitUntil(notifyOf(event.data?.text() ?? '')))

/** An open page is focused and led to the chat. */
async function openChat(chat: string): Promise<unknown> {
  const pages = await openPages()
  const page =
    pages.find(({ focused }) => focused) ??
    pages.find(({ visibilityState }) => visibilityState === 'visible') ??
    pages[0]
  if (!page) return await scope.clients.openWindow(chat ? `/#c/${chat}` : '/')
  if (chat) page.postMessage({ kind: 'open-chat', chat })
  return await page.focus()
}

scope.addEventListener('notificationclick', event => {
  event.notification.close()
  event.waitUntil(openChat((event.notification.data as { chat?: string } | null)?.chat ?? ''))
})

async function renew(): Promise<void> {
  const pages = await openPages()
  for (const page of pages) page.postMessage({ kind: 'subscription-changed' })
  if (pages.length === 0) await askToRenew()
}

scope.addEventListener('pushsubscriptionchange', event => event.waitUntil(renew()))
