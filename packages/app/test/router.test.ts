// Back and forth between screens, in a history that began elsewhere.
import { afterEach, expect, test, vi } from 'vitest'
import { go, goBack, route, startRouter } from '../src/router.ts'

afterEach(() => vi.unstubAllGlobals())

/** A tab that came from another page. */
class Tab {
  readonly entries: { href: string; state: unknown }[] = [{ href: 'https://elsewhere.example/', state: null }]
  at = 0
  readonly #listeners = new Map<string, (() => void)[]>()

  constructor(hash: string) {
    this.open(hash)
    const now = (): { href: string; state: unknown } => this.now
    vi.stubGlobal('addEventListener', (kind: string, run: () => void) => {
      this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), run])
    })
    vi.stubGlobal('location', {
      get hash() {
        return new URL(now().href).hash
      },
    })
    vi.stubGlobal('history', {
      get state() {
        return now().state
      },
      pushState: (state: unknown, _: string, path: string) => this.open(path, state),
      replaceState: (state: unknown, _: string, path?: string) => {
        this.entries[this.at] = { href: path === undefined ? this.now.href : new URL(path, this.now.href).href, state }
      },
      back: () => this.#show(this.at - 1),
    })
  }

  get now() {
    return this.entries[this.at]!
  }

  open(path: string, state: unknown = null): void {
    this.entries.splice(this.at + 1)
    this.entries.push({ href: new URL(path, 'https://relay.example/').href, state })
    this.at++
  }

  /** As a row of the list that is clicked. */
  click(path: string): void {
    this.open(path)
    this.#tell()
  }

  #show(at: number): void {
    this.at = at
    this.#tell()
  }

  #tell(): void {
    for (const kind of ['popstate', 'hashchange']) for (const run of this.#listeners.get(kind) ?? []) run()
  }
}

test('[APP-7.10] Back leads to the screen before, by whatever way one came, and never out of the app', () => {
  const tab = new Tab('#c/first')
  startRouter()
  go({ screen: 'settings' })
  tab.click('#c/second')
  expect(route.value).toEqual({ screen: 'chat', chat: 'second' })
  goBack()
  expect(route.value).toEqual({ screen: 'settings' })
  goBack()
  expect(route.value).toEqual({ screen: 'chat', chat: 'first' })
  goBack()
  expect(route.value).toEqual({ screen: 'chats' })
  expect(new URL(tab.now.href).host).toBe('relay.example')
})

test('[APP-7.10] A page that was loaded anew still knows how far it may go back', () => {
  const tab = new Tab('#')
  startRouter()
  go({ screen: 'chat', chat: 'one' })
  startRouter()
  goBack()
  expect(route.value).toEqual({ screen: 'chats' })
  expect(tab.at).toBe(1)
})
