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

export function go(to: Route, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState({ depth: ++depth } satisfies Kept, '', pathOf(to))
  else history.replaceState({ depth } satisfies Kept, '', pathOf(to))
  route.value = to
}

/** As the browser's own button does, but never out of the app: from the first screen it leads to the list. */
export function goBack(): void {
  if (depth > 0) history.back()
  else go({ screen: 'chats' }, 'replace')
}

/** A link of ours that was followed makes an entry that knows nothing of the others. */
function follow(): void {
  depth = keptNow()?.depth ?? depth + 1
  if (!keptNow()) history.replaceState({ depth } satisfies Kept, '')
  route.value = routeOf(location.hash)
}

export function startRouter(): void {
  depth = keptNow()?.depth ?? 0
  history.replaceState({ depth } satisfies Kept, '')
  route.value = routeOf(location.hash)
  addEventListener('popstate', follow)
  addEventListener('hashchange', follow)
}
