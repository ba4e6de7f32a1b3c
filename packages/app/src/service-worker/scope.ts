// The global scope of a service worker, as far as this one uses it: the compiler's types of pages and of workers
// exclude each other.

type WaitingEvent = { waitUntil(work: Promise<unknown>): void }
type ServiceWorkerEvents = {
  install: WaitingEvent
  activate: WaitingEvent
  message: WaitingEvent & { data: { kind?: string } | undefined }
  fetch: { request: Request; respondWith(answer: Promise<Response>): void }
  push: WaitingEvent & { data: { text(): string } | null }
  notificationclick: WaitingEvent & { notification: Notification }
  pushsubscriptionchange: WaitingEvent
}

type PageClient = {
  url: string
  focused: boolean
  visibilityState: DocumentVisibilityState
  postMessage(message: unknown): void
  focus(): Promise<unknown>
}

type ServiceWorkerScope = {
  registration: ServiceWorkerRegistration
  clients: {
    claim(): Promise<void>
    matchAll(of: { type: 'window'; includeUncontrolled: true }): Promise<PageClient[]>
    openWindow(url: string): Promise<unknown>
  }
  caches: CacheStorage
  location: Location
  skipWaiting(): Promise<void>
  addEventListener<Kind extends keyof ServiceWorkerEvents>(
    kind: Kind,
    listener: (event: ServiceWorkerEvents[Kind]) => void,
  ): void
}

export const scope = globalThis as unknown as ServiceWorkerScope

/** Pages of the app. The licences, opened in a tab, are a page of this origin, too. */
export async function openPages(): Promise<PageClient[]> {
  const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return pages.filter(({ url }) => new URL(url).pathname === '/')
}
