// The button to the end, for reading further up: it shows the number of new messages.
import type { VNode } from 'preact'
import { Icon } from '../../parts/icons/icon.tsx'
import { useTalk } from '../talk.ts'
import { conversationWords } from '../words.ts'
import './jump-button.css'

export function JumpButton(): VNode {
  const talk = useTalk()
  const w = conversationWords.value
  const { unread } = talk.chat.value
  return (
    <button
      class="jump-button"
      type="button"
      aria-label={unread > 0 ? `${w.newBelow(unread)}. ${w.toEnd}` : w.toEnd}
      onClick={() => {
        talk.jump.value = { to: 'end' }
      }}
    >
      {unread > 0 && <span>{w.newBelow(unread)}</span>}
      <Icon name="arrow-down" />
    </button>
  )
}
