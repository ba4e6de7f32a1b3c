// Keys that work everywhere: to the search, to the next chat and the one before.
import { chatsInOrder, focusSearch } from '../chat-list/chat-list-state.ts'
import { neighbourOf } from '../chat-list/list-keys.ts'
import { chatOfRoute, go, route } from '../router.ts'

function act(event: KeyboardEvent): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event
  if (shiftKey) return false
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return focusSearch()
  if (!altKey || ctrlKey || metaKey || (key !== 'ArrowDown' && key !== 'ArrowUp')) return false
  const at = route.value
  const next = neighbourOf(chatsInOrder.value, chatOfRoute(at), key === 'ArrowDown' ? 1 : -1)
  if (next) go({ screen: 'chat', chat: next }, at.screen === 'chat' ? 'replace' : 'push')
  return next !== undefined
}

export function startKeys(): void {
  addEventListener('keydown', event => {
    // Nothing moves behind a dialog.
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return
    if (act(event)) event.preventDefault()
  })
}
