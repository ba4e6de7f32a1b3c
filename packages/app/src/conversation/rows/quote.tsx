// The quoted message: its beginning, as a link to it.
import type { VNode } from 'preact'
import { useTalk } from '../talk.ts'
import { conversationWords } from '../words.ts'
import './quote.css'
import { showToast } from '../../parts/toasts/toast-list.ts'
import { snippetOf } from '../snippet.ts'

export function Quote({ id }: { id: string }): VNode {
  const talk = useTalk()
  const w = conversationWords.value
  const message = talk.messages.value.get(id)
  const name = message?.from.id === talk.me ? w.you : (message?.from.name ?? '')
  return (
    <button
      class="quote"
      type="button"
      onClick={() => {
        if (message) talk.jump.value = { to: 'message', id, ts: message.ts }
        else showToast({ kind: 'note', text: w.messageGone })
      }}
    >
      <span class="unseen">{w.replyTo}</span>
      {message && (
        <bdi class="quote-name" dir="auto">
          {name}
        </bdi>
      )}
      <span class="quote-text" dir="auto">
        {message ? snippetOf(message) : w.goneQuote}
      </span>
    </button>
  )
}
