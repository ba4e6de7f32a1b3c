// The notifications that a browser shows for the app, and the database from which its service worker reads.
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

export type ShownNotification = { title: string; body: string; chat: string }

/** Those that are shown now. */
export const shownOn = (page: Page): Promise<ShownNotification[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    const shown = await registration.getNotifications()
    return shown.map(({ title, body, data }) => ({ title, body, chat: (data as { chat: string }).chat }))
  })

/** Remembers the closed notifications in the page or the service worker in which it runs, and prints their titles. */
function noteClosings(): void {
  const { close } = Notification.prototype
  const closed: string[] = []
  Reflect.set(globalThis, 'closedTitles', closed)
  Notification.prototype.close = function (this: Notification) {
    closed.push(this.title)
    console.debug(`closed: ${this.title}`)
    close.call(this)
  }
}

/**
 * The titles of the notifications that the app's pages and its service worker close from now on. A Chromium without a
 * desktop forgets every notification after some seconds: a missing one was not necessarily closed.
 */
export async function followClosings(context: BrowserContext): Promise<() => Promise<string[]>> {
  const byPages: string[] = []
  context.on('console', message => {
    const [, title] = /^closed: (.*)$/.exec(message.text()) ?? []
    if (title !== undefined && message.page()) byPages.push(title)
  })
  await context.addInitScript(noteClosings)
  const workers = context.serviceWorkers()
  await Promise.all([
    ...context.pages().map(each => each.evaluate(noteClosings)),
    ...workers.map(each => each.evaluate(noteClosings)),
  ])
  return async () => {
    const byWorkers = await Promise.all(workers.map(each => each.evaluate<string[]>('globalThis.closedTitles')))
    return [...byPages, ...byWorkers.flat()]
  }
}

export const closeAllOn = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    for (const shown of await registration.getNotifications()) shown.close()
  })

type PushFacts = { notify?: string; titles?: string[]; unread?: unknown; keys?: number }

/** The facts for the service worker. The browser opens it for any script of the origin. */
export const factsOn = (page: Page): Promise<PushFacts> =>
  page.evaluate(async () => {
    const resultOf = <Result>(request: IDBRequest<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(new Error('the database failed', { cause: request.error })))
      })
    const opening = indexedDB.open('postern-push', 1)
    opening.addEventListener('upgradeneeded', () => {
      for (const store of ['facts', 'keys']) opening.result.createObjectStore(store)
    })
    const database = await resultOf(opening)
    const reading = database.transaction(['facts', 'keys'])
    const facts = reading.objectStore('facts')
    const all = ['settings', 'seal', 'chats', 'unread'].map(name => resultOf<unknown>(facts.get(name)))
    const keys = await resultOf(reading.objectStore('keys').count())
    const [settings, seal, chats, unread] = await Promise.all(all)
    database.close()
    if (!settings) return {}
    const { nonce, bytes } = chats as { nonce: Uint8Array<ArrayBuffer>; bytes: ArrayBuffer }
    const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonce }, seal as CryptoKey, bytes)
    const titles = (JSON.parse(new TextDecoder().decode(plain)) as { title: string }[]).map(({ title }) => title)
    return { notify: (settings as { notify: string }).notify, titles, unread, keys }
  })

/** Waits until the service worker knows this; `{}` if it is to know nothing. */
export async function knows(page: Page, facts: PushFacts): Promise<void> {
  if (Object.keys(facts).length === 0) return await expect.poll(() => factsOn(page)).toEqual({})
  await expect.poll(() => factsOn(page)).toMatchObject(facts)
}

/** As a damaged disk, or another version, may leave it. */
export const damageChats = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('postern-push', 1)
        opening.addEventListener('error', () => reject(new Error('the database failed', { cause: opening.error })))
        opening.addEventListener('success', () => {
          const change = opening.result.transaction('facts', 'readwrite')
          change.objectStore('facts').put({ nonce: new Uint8Array(12), bytes: new ArrayBuffer(40) }, 'chats')
          change.addEventListener('complete', () => {
            opening.result.close()
            resolve()
          })
        })
      }),
  )
