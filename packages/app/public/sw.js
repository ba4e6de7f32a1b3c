// Stores the app itself for a start without a network, and shows notifications. It never stores messages.
const KEPT = 'postern-app-'
/** The build inserts both. */
const BUILD = 'BUILD'
const FILES = ['FILES']

const inCache = KEPT + BUILD

/** All or nothing: a page of one build with the worker of another would not understand each other. */
async function keepBuild() {
  const cache = await caches.open(inCache)
  // Files named by their content may come from the browser's cache; the others are requested again.
  await cache.addAll(
    FILES.map(path => new Request(path, { cache: path.startsWith('/assets/') ? 'default' : 'reload' })),
  )
}

async function forgetOthers() {
  const names = await caches.keys()
  await Promise.all(names.filter(name => name.startsWith(KEPT) && name !== inCache).map(name => caches.delete(name)))
}

addEventListener('install', event => event.waitUntil(keepBuild()))

addEventListener('activate', event => event.waitUntil(forgetOthers().then(() => clients.claim())))

addEventListener('message', event => {
  if (event.data?.kind === 'take-over') event.waitUntil(skipWaiting())
})

async function answer(request) {
  const cache = await caches.open(inCache)
  // A query does not make another page.
  const kept = await cache.match(new URL(request.url).pathname, { ignoreVary: true })
  return kept ?? fetch(request)
}

addEventListener('fetch', event => {
  const { origin, pathname } = new URL(event.request.url)
  const isOurs = origin === location.origin && event.request.method === 'GET'
  const isApp =
    pathname === '/' ||
    pathname === '/licences.txt' ||
    pathname.startsWith('/assets/') ||
    /^\/[a-z0-9-]+\.(svg|png|webmanifest)$/.test(pathname)
  // The relay, files of conversations and the list of a new build never come from here.
  if (isOurs && isApp) event.respondWith(answer(event.request))
})

async function openChat(chat) {
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page =
    pages.find(({ focused }) => focused) ??
    pages.find(({ visibilityState }) => visibilityState === 'visible') ??
    pages[0]
  if (!page) return clients.openWindow(`/#c/${chat}`)
  page.postMessage({ kind: 'open-chat', chat })
  return page.focus()
}

addEventListener('notificationclick', event => {
  event.notification.close()
  event.waitUntil(openChat(event.notification.data?.chat ?? ''))
})
