// Which screen is shown: everything stands behind the #, which no browser sends to a server.
import { signal } from '@preact/signals'

export type Route =
  | { screen: 'chats' }
  | { screen: 'chat'; chat: string; message?: string }
  | { screen: 'chat-info'; chat: string }
  | { screen: 'person'; account: string }
  | { screen: 'verify'; account: string }
  | { screen: 'new-chat' }
  | { screen: 'new-group' }
  | { screen: 'add-members'; chat: string }
  | { screen: 'settings'; part?: SettingsPart }

export const settingsParts = [
  'profile',
  'invite',
  'keep-account',
  'notifications',
  'appearance',
  'blocked',
  'about',
] as const
export type SettingsPart = (typeof settingsParts)[number]

export const route = signal<Route>({ screen: 'chats' })

export function pathOf(to: Route): string {
  switch (to.screen) {
    case 'chats':
      return '#'
    case 'chat':
      return to.message ? `#c/${to.chat}/${to.message}` : `#c/${to.chat}`
    case 'chat-info':
      return `#info/${to.chat}`
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
    case 'settings':
      return to.part ? `#settings/${to.part}` : '#settings'
  }
}

/** What is not understood is the chat list. */
export function routeOf(hash: string): Route {
  const [name = '', id = '', more] = hash.replace(/^#/, '').split('/')
  switch (name) {
    case 'c':
      return more ? { screen: 'chat', chat: id, message: more } : { screen: 'chat', chat: id }
    case 'info':
      return { screen: 'chat-info', chat: id }
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
    case 'settings': {
      const part = settingsParts.find(known => known === id)
      return part ? { screen: 'settings', part } : { screen: 'settings' }
    }
    default:
      return { screen: 'chats' }
  }
}

/** How many screens of the app lie below the present one in the tab's history: further back are other people's pages. */
type Kept = { depth: number }

const keptNow = (): Kept | undefined => history.state as Kept | undefined
let depth = 0
/** On the way forward again, after a Back that has closed a dialog. */
let isReturning = false

/** What stands above the screen, topmost last: dialogs and menus. */
let above: (() => void)[] = []

/** Closed by Back before its screen is left, and whenever another screen is shown. Gives what is called when it is gone. */
export function standAbove(close: () => void): () => void {
  above = [...above, close]
  return () => {
    above = above.filter(other => other !== close)
  }
}

/** They speak about a screen that is not seen any more. */
export function closeAllAbove(): void {
  const closed = above.toReversed()
  above = []
  for (const close of closed) close()
}

function show(to: Route): void {
  closeAllAbove()
  route.value = to
}

export function go(to: Route, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState({ depth: ++depth } satisfies Kept, '', pathOf(to))
  else history.replaceState({ depth } satisfies Kept, '', pathOf(to))
  show(to)
}

/** As the browser's own button does, but never out of the app: from the first screen it leads to the list. */
export function goBack(): void {
  if (depth > 0) history.back()
  else go({ screen: 'chats' }, 'replace')
}

function follow(): void {
  const to = keptNow()?.depth ?? depth + 1
  const wasReturning = isReturning
  isReturning = false
  if (wasReturning && to === depth) return
  // Back once more before the screen was back: this one is meant for the screen.
  if (!wasReturning && to < depth && above.length > 0) return stayFrom(to)
  depth = to
  // A link of ours that was followed makes an entry that knows nothing of the others.
  if (!keptNow()) history.replaceState({ depth } satisfies Kept, '')
  show(routeOf(location.hash))
}

/** Back closes what stands on top, and the screen below stays: the history goes forward to it again. */
function stayFrom(to: number): void {
  const topmost = above.at(-1)
  above = above.slice(0, -1)
  topmost?.()
  isReturning = true
  history.go(depth - to)
}

export function startRouter(): void {
  depth = keptNow()?.depth ?? 0
  history.replaceState({ depth } satisfies Kept, '')
  route.value = routeOf(location.hash)
  addEventListener('popstate', follow)
  // A browser may tell of a followed link by this alone; told of by both, it has its depth by now.
  addEventListener('hashchange', () => {
    if (!keptNow()) follow()
  })
}
