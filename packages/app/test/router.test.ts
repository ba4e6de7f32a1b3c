// Back and forward between screens, in a history that began elsewhere.
import { afterEach, expect, test, vi } from 'vitest'
import { closeAllAbove, fromHere, go, goBack, route, standAbove, startRouter } from '../src/router.ts'

const FIRST = 'a'.repeat(26)
const SECOND = `${'b'.repeat(25)}a`

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
      back: () => this.#step(-1),
      go: (by: number) => this.#step(by),
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

  /** Like clicking a row of the list. */
  click(path: string): void {
    this.open(path)
    this.#tell()
  }

  /** Like a browser: a step in the history comes later than it was requested. */
  isSlow = false
  readonly #steps: number[] = []

  catchUp(): void {
    for (let step = this.#steps.shift(); step !== undefined; step = this.#steps.shift()) this.#move(step)
  }

  #step(by: number): void {
    if (this.isSlow) this.#steps.push(by)
    else this.#move(by)
  }

  #move(by: number): void {
    this.at += by
    this.#tell()
  }

  #tell(): void {
    for (const kind of ['popstate', 'hashchange']) for (const run of this.#listeners.get(kind) ?? []) run()
  }
}

test('[APP-7.10] Back leads to the screen before, by whatever way one came, and never out of the app', () => {
  const tab = new Tab(`#c/${FIRST}`)
  startRouter()
  go({ screen: 'settings' })
  tab.click(`#c/${SECOND}`)
  expect(route.value).toEqual({ screen: 'chat', chat: SECOND })
  goBack()
  expect(route.value).toEqual({ screen: 'settings' })
  goBack()
  expect(route.value).toEqual({ screen: 'chat', chat: FIRST })
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

test('[APP-7.14] An answer moves a person only from the screen where they asked', () => {
  const tab = new Tab('#')
  startRouter()
  go({ screen: 'new-group' })
  const asked = fromHere()
  asked(() => go({ screen: 'chat', chat: FIRST }, 'replace'))
  expect(route.value).toEqual({ screen: 'chat', chat: FIRST })
  go({ screen: 'new-group' })
  const askedAndLeft = fromHere()
  go({ screen: 'chat', chat: SECOND })
  askedAndLeft(goBack)
  askedAndLeft(() => go({ screen: 'chat', chat: FIRST }, 'replace'))
  expect([route.value, tab.at]).toEqual([{ screen: 'chat', chat: SECOND }, 4])
})

/** Two stacked dialogs, and which of them are closed. */
function twoDialogs(): string[] {
  const closed: string[] = []
  for (const name of ['lower', 'upper']) {
    const leave = standAbove(() => {
      closed.push(name)
      leave()
    })
  }
  return closed
}

test('[APP-7.12] Back closes one dialog after the other, and then leads to the screen before', () => {
  const tab = new Tab('#')
  startRouter()
  go({ screen: 'chat', chat: 'one' })
  const closed = twoDialogs()
  goBack()
  expect([closed, route.value, tab.at]).toEqual([['upper'], { screen: 'chat', chat: 'one' }, 2])
  goBack()
  expect([closed, route.value, tab.at]).toEqual([['upper', 'lower'], { screen: 'chat', chat: 'one' }, 2])
  goBack()
  expect([route.value, tab.at]).toEqual([{ screen: 'chats' }, 1])
})

test('[APP-7.12] Back pressed twice in a moment closes a dialog and leads to the screen before', () => {
  const tab = new Tab('#')
  startRouter()
  go({ screen: 'settings' })
  go({ screen: 'chat', chat: 'one' })
  const closed = twoDialogs()
  tab.isSlow = true
  goBack()
  goBack()
  tab.catchUp()
  expect([closed, route.value, tab.at]).toEqual([['upper', 'lower'], { screen: 'settings' }, 2])
})

test.for([
  ['a screen that is gone to', () => go({ screen: 'settings' })],
  ['the same screen, as by a notification', () => go({ screen: 'chat', chat: 'one' })],
  ['a link that is opened', (tab: Tab) => tab.click(`#c/${SECOND}`)],
  ['an account that is not open any more', () => closeAllAbove()],
] as const)('[APP-7.12] Dialogs and menus do not outlast their screen: %s', ([, leave]) => {
  const tab = new Tab('#')
  startRouter()
  go({ screen: 'chat', chat: 'one' })
  const closed = twoDialogs()
  leave(tab)
  expect(closed).toEqual(['upper', 'lower'])
})
