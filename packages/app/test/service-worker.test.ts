// The service worker, run with the test's own cache and network.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

const APP = join(import.meta.dirname, '..')
const BUILDER = new URL('../build/service-worker.ts', import.meta.url).href
/** In a process of its own: the bundler leaves threads and pipes behind. */
const BUILD = `
  const { serviceWorkerSource } = await import(${JSON.stringify(BUILDER)})
  process.stdout.write(await serviceWorkerSource(${JSON.stringify(APP)}, { build: 'BUILD', files: ['FILES'] }))`
const ORIGIN = 'https://relay.example'

type Extendable = { waitUntil(work: Promise<unknown>): void }
type Listener = (event: never) => void

/** The browser's storage for the origin, whichever worker runs. */
class Kept {
  readonly caches = new Map<string, Map<string, string>>()

  api() {
    return {
      open: async (name: string) => this.#cache(name),
      keys: async () => [...this.caches.keys()],
      delete: async (name: string) => this.caches.delete(name),
    }
  }

  #cache(name: string) {
    const entries = this.caches.get(name) ?? new Map<string, string>()
    this.caches.set(name, entries)
    return {
      addAll: async (requests: { url: string }[]) => {
        // As the browser does: if one fails, none of them is stored.
        const fetched = requests.map(({ url }) => [new URL(url, ORIGIN).pathname, `${name} ${url}`] as const)
        if (fetched.some(([path]) => path === '/missing.js')) throw new TypeError('Failed to fetch')
        for (const [path, text] of fetched) entries.set(path, text)
      },
      match: async (asked: string | { url: string }) =>
        entries.get(new URL(typeof asked === 'string' ? asked : asked.url, ORIGIN).pathname),
    }
  }
}

type Page = { url: string; focused: boolean; told: unknown[] }

type WorkerContent = { build: string; files: string[]; pages?: Page[] }

/** Built once: the content of each worker is put into it. */
let built: Promise<{ stdout: string }> | undefined

async function sourceOf({ build, files }: WorkerContent): Promise<string> {
  built ??= promisify(execFile)(process.execPath, ['--input-type=module', '--eval', BUILD])
  return (await built).stdout.replace('BUILD', build).replace('["FILES"]', JSON.stringify(files))
}

async function startWorker(kept: Kept, { pages = [], ...content }: WorkerContent) {
  const shown: { title: string; body: string; tag: string }[] = []
  const listeners = new Map<string, Listener>()
  const did: string[] = []
  runInNewContext(await sourceOf(content), {
    URL,
    TextEncoder,
    TextDecoder,
    Request: class {
      readonly url: string
      constructor(url: string) {
        this.url = url
      }
    },
    caches: kept.api(),
    location: { origin: ORIGIN },
    clients: {
      claim: async () => did.push('claimed'),
      matchAll: async () =>
        pages.map(({ url, focused, told }) => ({
          url,
          focused,
          postMessage: (message: unknown) => told.push(message),
          focus: async () => did.push(`focused ${url}`),
        })),
      openWindow: async (url: string) => did.push(`opened ${url}`),
    },
    navigator: { language: 'en-GB' },
    // There is no IndexedDB, as in a browser whose storage is broken.
    registration: {
      getNotifications: async () => [],
      showNotification: async (title: string, { body, tag }: { body: string; tag: string }) =>
        shown.push({ title, body, tag }),
    },
    skipWaiting: async () => did.push('taken over'),
    fetch: async ({ url }: { url: string }) => `network ${new URL(url).pathname}`,
    addEventListener: (kind: string, listener: Listener) => listeners.set(kind, listener),
  })
  const tell = async (kind: string, fields: object = {}): Promise<void> => {
    const work: Promise<unknown>[] = []
    const event: Extendable = { waitUntil: one => void work.push(one), ...fields }
    listeners.get(kind)?.(event as never)
    await Promise.all(work)
  }
  /** Undefined: it does not touch the request. */
  const ask = async (path: string, fields: object = {}): Promise<unknown> => {
    let answer: Promise<unknown> | undefined
    const request = { url: new URL(path, ORIGIN).href, method: 'GET', mode: 'cors', ...fields }
    const event = { request, respondWith: (given: Promise<unknown>) => (answer = given) }
    listeners.get('fetch')?.(event as never)
    return answer
  }
  return { tell, ask, did, shown }
}

const one = { build: 'one', files: ['/', '/assets/a.js', '/licences.txt'] }

test('[APP-7.6] Without a network the app comes from what its service worker has kept, whatever the address', async () => {
  const worker = await startWorker(new Kept(), one)
  await worker.tell('install')
  expect(await worker.ask('/', { mode: 'navigate' })).toBe('postern-app-one /')
  expect(await worker.ask('/?from=elsewhere', { mode: 'navigate' })).toBe('postern-app-one /')
  // Opened as a separate page, it is itself and not the app.
  expect(await worker.ask('/licences.txt', { mode: 'navigate' })).toBe('postern-app-one /licences.txt')
  expect(await worker.ask('/assets/a.js')).toBe('postern-app-one /assets/a.js')
  expect(await worker.ask('/assets/unknown.js')).toBe('network /assets/unknown.js')
})

test('[APP-7.7] The service worker touches nothing of the relay, no file of a conversation, nothing of another origin', async () => {
  const worker = await startWorker(new Kept(), one)
  await worker.tell('install')
  for (const path of ['/relay/v1', '/blobs/x', '/profiles/x', '/files.json', '/sw.js', 'https://elsewhere.example/'])
    expect(await worker.ask(path)).toBeUndefined()
  expect(await worker.ask('/', { method: 'POST' })).toBeUndefined()
})

test('[APP-7.8] A new version is kept beside the present one and waits; the present one serves no file of it', async () => {
  const kept = new Kept()
  const old = await startWorker(kept, one)
  await old.tell('install')
  await old.tell('activate')
  const fresh = await startWorker(kept, { build: 'two', files: ['/', '/assets/b.js'] })
  await fresh.tell('install')
  expect(fresh.did).toEqual([])
  expect(await old.ask('/', { mode: 'navigate' })).toBe('postern-app-one /')
  await fresh.tell('message', { data: { kind: 'something else' } })
  expect(fresh.did).toEqual([])
  await fresh.tell('message', { data: { kind: 'take-over' } })
  await fresh.tell('activate')
  expect(fresh.did).toEqual(['taken over', 'claimed'])
  expect([...kept.caches.keys()]).toEqual(['postern-app-two'])
  expect(await fresh.ask('/', { mode: 'navigate' })).toBe('postern-app-two /')
})

test('[APP-7.9] A version of which a file cannot be had is not installed, and the present one goes on', async () => {
  const kept = new Kept()
  const old = await startWorker(kept, one)
  await old.tell('install')
  const torn = await startWorker(kept, { build: 'torn', files: ['/', '/missing.js'] })
  await expect(torn.tell('install')).rejects.toThrow('Failed to fetch')
  expect(await old.ask('/', { mode: 'navigate' })).toBe('postern-app-one /')
})

test('[APP-7.19] A push shows a notification even if nothing can be read', async () => {
  const worker = await startWorker(new Kept(), one)
  const text = JSON.stringify({ v: 1, group: 'a'.repeat(26), count: 1, message: 'b'.repeat(32), attention: 'message' })
  for (const data of [null, { text: () => 'nonsense' }, { text: () => text }]) await worker.tell('push', { data })
  const newMessage = { title: 'Postern', body: 'New message', tag: 'unknown-chat' }
  expect(worker.shown).toEqual([newMessage, newMessage, newMessage])
})

test('[APP-7.22] An ended subscription is renewed by an open page', async () => {
  const page: Page = { url: `${ORIGIN}/#c/x`, focused: false, told: [] }
  const licences: Page = { url: `${ORIGIN}/licences.txt`, focused: true, told: [] }
  const worker = await startWorker(new Kept(), { ...one, pages: [licences, page] })
  await worker.tell('pushsubscriptionchange')
  expect(page.told).toEqual([{ kind: 'subscription-changed' }])
  expect([licences.told, worker.shown]).toEqual([[], []])
})

test('[APP-7.22] An ended subscription without an open page asks the person to open one', async () => {
  const worker = await startWorker(new Kept(), one)
  await worker.tell('pushsubscriptionchange')
  expect(worker.shown).toMatchObject([{ body: 'Open Postern to keep receiving notifications' }])
})

test('[APP-14.44] A click focuses an open page and leads it to the chat, or opens one', async () => {
  const page: Page = { url: `${ORIGIN}/#settings`, focused: false, told: [] }
  const click = { notification: { close: () => undefined, data: { chat: 'harbour' } } }
  const worker = await startWorker(new Kept(), { ...one, pages: [page] })
  await worker.tell('notificationclick', click)
  expect(page.told).toEqual([{ kind: 'open-chat', chat: 'harbour' }])
  expect(worker.did).toEqual([`focused ${ORIGIN}/#settings`])
  const alone = await startWorker(new Kept(), one)
  await alone.tell('notificationclick', click)
  await alone.tell('notificationclick', { notification: { close: () => undefined, data: { chat: '' } } })
  expect(alone.did).toEqual(['opened /#c/harbour', 'opened /'])
})
