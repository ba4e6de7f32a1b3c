// The shown screen: everything is after the #, which no browser sends to a server.
import { isAccountId, isChatId } from '@postern/protocol'
import { type ReadonlySignal, signal } from '@preact/signals'

export type AppRoute =
  | { screen: 'chats' }
  | { screen: 'chat'; chat: string; message?: string }
  | { screen: 'chat-info'; chat: string }
  | { screen: 'media'; chat: string }
  | { screen: 'person'; account: string }
  | { screen: 'verify'; account: string }
  | { screen: 'new-chat' }
  | { screen: 'new-group' }
  | { screen: 'add-members'; chat: string }
  | { screen: 'group-link'; chat: string }
  | { screen: 'settings'; part?: SettingsPart }

export const settingsParts = [
  'profile',
  'invite',
  'keep-account',
  'storage',
  'notifications',
  'appearance',
  'privacy',
  'blocked',
  'about',
] as const
export type SettingsPart = (typeof settingsParts)[number]

export const route = signal<AppRoute>({ screen: 'chats' })

const isTouched = signal(false)

/**
 * Whether somebody has pressed or scrolled on this page since an address led here. Any website can open an address of
 * ours: until then nothing is sent that would reveal who looks.
 */
export const touched: ReadonlySignal<boolean> = isTouched

/** The chat that a screen is about: its conversation, its details, its gallery. */
export const chatOfRoute = (at: AppRoute): string | undefined => ('chat' in at ? at.chat : undefined)

export function pathOf(to: AppRoute): string {
  switch (to.screen) {
    case 'chats':
      return '#'
    case 'chat':
      return to.message ? `#c/${to.chat}/${to.message}` : `#c/${to.chat}`
    case 'chat-info':
      return `#info/${to.chat}`
    case 'media':
      return `#media/${to.chat}`
    case 'person':
      return `#p/${to.account}`
    case 'verify':
      return `#verify/${to.account}`
    case 'new-chat':
      return '#new'
    case 'new-group':
      return '#new-group'
    case 'add-members':
      return `#add/${to.chat}`
    case 'group-link':
      return `#link/${to.chat}`
    case 'settings':
      return to.part ? `#settings/${to.part}` : '#settings'
  }
}

/** An unknown address is the chat list. */
export function routeOf(hash: string): AppRoute {
  const [name = '', id = '', more] = hash.replace(/^#/, '').split('/')
  // No view is ever shown for an invalid id.
  if (['c', 'info', 'media', 'add', 'link'].includes(name) && !isChatId(id)) return { screen: 'chats' }
  if (['p', 'verify'].includes(name) && !isAccountId(id)) return { screen: 'chats' }
  switch (name) {
    case 'c':
      return more ? { screen: 'chat', chat: id, message: more } : { screen: 'chat', chat: id }
    case 'info':
      return { screen: 'chat-info', chat: id }
    case 'media':
      return { screen: 'media', chat: id }
    case 'p':
      return { screen: 'person', account: id }
    case 'verify':
      return { screen: 'verify', account: id }
    case 'new':
      return { screen: 'new-chat' }
    case 'new-group':
      return { screen: 'new-group' }
    case 'add':
      return { screen: 'add-members', chat: id }
    case 'link':
      return { screen: 'group-link', chat: id }
    case 'settings': {
      const part = settingsParts.find(known => known === id)
      return part ? { screen: 'settings', part } : { screen: 'settings' }
    }
    default:
      return { screen: 'chats' }
  }
}

/** How many screens of the app are below the present one in the tab's history: further back are other people's pages. */
type Kept = { depth: number }

const keptNow = (): Kept | undefined => history.state as Kept | undefined
let depth = 0
/** The last clicked link of this page: its target was the person's choice. */
let clickedHash: string | undefined
/** On the way forward again, after a Back that has closed a dialog. */
let isReturning = false

/** The layers above the screen, topmost last: dialogs and menus. */
let above: (() => void)[] = []

/**
 * Closed by Back before its screen is left, and whenever another screen is shown. Returns a function to call when it is
 * gone.
 */
export function standAbove(close: () => void): () => void {
  above = [...above, close]
  return () => {
    above = above.filter(other => other !== close)
  }
}

/** They refer to a screen that is no longer visible. */
export function closeAllAbove(): void {
  const closed = above.toReversed()
  above = []
  for (const close of closed) close()
}

function show(to: AppRoute): void {
  closeAllAbove()
  route.value = to
}

export function go(to: AppRoute, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState({ depth: ++depth } satisfies Kept, '', pathOf(to))
  else history.replaceState({ depth } satisfies Kept, '', pathOf(to))
  show(to)
}

/**
 * Call it before a slow request, and move with its result: a person who has opened another screen in the meantime stays
 * there.
 */
export function fromHere(): (move: () => void) => void {
  const here = pathOf(route.value)
  return move => {
    if (pathOf(route.value) === here) move()
  }
}

/** Like the browser's own button, but never out of the app: from the first screen it leads to the list. */
export function goBack(): void {
  if (depth > 0) history.back()
  else go({ screen: 'chats' }, 'replace')
}

function follow(): void {
  const to = keptNow()?.depth ?? depth + 1
  const wasReturning = isReturning
  isReturning = false
  if (wasReturning && to === depth) return
  // A second Back before the screen was back: this one is for the screen.
  if (!wasReturning && to < depth && above.length > 0) return stayFrom(to)
  depth = to
  // An entry without our state: a followed link of ours, or an address that another page has set.
  if (!keptNow()) {
    if (location.hash !== clickedHash) isTouched.value = false
    history.replaceState({ depth } satisfies Kept, '')
  }
  clickedHash = undefined
  show(routeOf(location.hash))
}

/** Back closes the topmost layer, and the screen below stays: the history moves forward to it again. */
function stayFrom(to: number): void {
  const topmost = above.at(-1)
  above = above.slice(0, -1)
  topmost?.()
  isReturning = true
  history.go(depth - to)
}

const touches = ['pointerdown', 'keydown', 'wheel'] as const

function noteTouch(event: Partial<KeyboardEvent>): void {
  // A key that is still held down was pressed for another page.
  if (event.isTrusted && !event.repeat) isTouched.value = true
}

function noteClick({ target }: Event): void {
  clickedHash = (target as Element).closest<HTMLAnchorElement>('a[href^="#"]')?.hash
}

export function startRouter(): void {
  for (const kind of touches) addEventListener(kind, noteTouch, { capture: true, passive: true })
  addEventListener('click', noteClick, { capture: true })
  depth = keptNow()?.depth ?? 0
  history.replaceState({ depth } satisfies Kept, '')
  route.value = routeOf(location.hash)
  addEventListener('popstate', follow)
  // A browser may report a followed link by this alone; if it reports both, the depth is known by now.
  addEventListener('hashchange', () => {
    if (!keptNow()) follow()
  })
}
