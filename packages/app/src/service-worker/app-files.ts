// Stores the files of the app for a start without a network. It never stores messages.
import { scope } from './scope.ts'

/** The build inserts both. */
declare const __POSTERN_BUILD__: string
declare const __POSTERN_FILES__: string[]

const KEPT = 'postern-app-'
const inCache = KEPT + __POSTERN_BUILD__

/** All or nothing: a page of one build with the worker of another would not understand each other. */
export async function keepBuild(): Promise<void> {
  const cache = await scope.caches.open(inCache)
  // Files named by their content may come from the browser's cache; the others are requested again.
  await cache.addAll(
    __POSTERN_FILES__.map(path => new Request(path, { cache: path.startsWith('/assets/') ? 'default' : 'reload' })),
  )
}

export async function forgetOthers(): Promise<void> {
  const names = await scope.caches.keys()
  const others = names.filter(name => name.startsWith(KEPT) && name !== inCache)
  await Promise.all(others.map(name => scope.caches.delete(name)))
}

export async function answerFile(request: Request): Promise<Response> {
  const cache = await scope.caches.open(inCache)
  // A query does not make another page.
  const kept = await cache.match(new URL(request.url).pathname, { ignoreVary: true })
  return kept ?? fetch(request)
}

/** The relay, files of conversations and the list of a new build never come from here. */
export function isAppFile({ url, method }: Request): boolean {
  const { origin, pathname } = new URL(url)
  const isApp =
    pathname === '/' ||
    pathname === '/licences.txt' ||
    pathname.startsWith('/assets/') ||
    /^\/[a-z0-9-]+\.(svg|png|webmanifest)$/.test(pathname)
  return origin === scope.location.origin && method === 'GET' && isApp
}
