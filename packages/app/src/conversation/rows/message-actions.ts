// Opens the actions on a message: by long press, right click, the keyboard's menu key or the button next to it.
import type { Message } from '../../contract/objects.ts'
import { begin } from '../../parts/attempt.ts'
import { lazyImport } from '../../parts/lazy-import.ts'
import type { MenuPlace } from '../../parts/menus/menu-place.ts'
import type { Talk } from '../talk.ts'

const menu = lazyImport(() => import('./action-menu.tsx'))

export function openMessageActions(talk: Talk, message: Message, at: MenuPlace): void {
  begin(menu().then(({ openActionMenu }) => openActionMenu(talk, message, at)))
}
