// The keyboard among messages: arrows move from one to the next, Enter opens the actions, Esc returns to the field.
// While messages are selected, Enter and the space bar select, as a tap does.

import { isPlainKey } from '../../parts/plain-key.ts'
import { openMessageActions } from '../rows/message-actions.ts'
import { type Talk, toggleSelected } from '../talk.ts'

type KeyEvent = KeyboardEvent & { currentTarget: HTMLElement }

export function moveAmongRows(talk: Talk, event: KeyEvent): void {
  if (event.key === 'Escape') {
    event.preventDefault()
    talk.jump.value = { to: 'end' }
    talk.compose.wantsFocus.value++
    return
  }
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('article[data-id]')]
  const at = rows.findIndex(row => row === event.target)
  const held = rows[at]
  // A key for a button or a link in the row.
  if (!held) return
  const to = isPlainKey(event)
    ? { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 }[event.key]
    : undefined
  if (to !== undefined) {
    event.preventDefault()
    rows[Math.max(0, Math.min(to, rows.length - 1))]?.focus()
    return
  }
  const message = talk.messages.peek().get(held.dataset['id'] ?? '')
  const act = message && actionOf(event, talk)
  if (!act) return
  event.preventDefault()
  act(talk, message, held)
}

function actionOf(event: KeyEvent, { selection }: Talk): typeof openMessageActions | undefined {
  if (selection.peek())
    return (event.key === 'Enter' || event.key === ' ') && isPlainKey(event) ? toggleSelected : undefined
  return event.key === 'Enter' || (event.key === 'F10' && event.shiftKey) ? openMessageActions : undefined
}
