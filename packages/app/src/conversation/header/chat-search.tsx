// Search in one chat: the field replaces the header, and the results cover the conversation.
import { useSignal, useSignalEffect } from '@preact/signals'
import type { VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Message } from '../../contract/objects.ts'
import { call } from '../../link/link.ts'
import { attempt } from '../../parts/attempt.ts'
import { Button } from '../../parts/fields/button.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { IconButton } from '../../parts/icons/icon-button.tsx'
import { NameText } from '../../parts/text/name-text.tsx'
import { TimeText } from '../../parts/text/time-text.tsx'
import { snippetOf } from '../snippet.ts'
import { useTalk } from '../talk.ts'
import { pageTiming } from '../timing.ts'
import { conversationWords } from '../words.ts'
import './chat-search.css'
import { type FoundInChat, RESULTS_PAGE, SearchRun } from './search-run.ts'
import { headerWords } from './words.ts'

async function find(chat: string, text: string, beforeTs: number | undefined): Promise<Message[] | undefined> {
  const older = beforeTs === undefined ? {} : { beforeTs }
  const answer = await attempt(call('search', { chat, text, limit: RESULTS_PAGE, ...older }))
  return answer?.value.messages
}

/** Choosing a result closes the list with its focus: the keyboard continues at the message. */
function focusLit(id: string | undefined): void {
  if (id === undefined || document.activeElement !== document.body) return
  document.querySelector<HTMLElement>(`article[data-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true })
}

export function ChatSearch({ onClose }: { onClose: () => void }): VNode {
  const talk = useTalk()
  const w = headerWords.value
  const field = useRef<HTMLInputElement>(null)
  const isListed = useSignal(true)
  const run = useMemo(() => new SearchRun(pageTiming, (text, ts) => find(talk.chat.peek().id, text, ts)), [talk])
  // Before the next key arrives: what a fast person types goes into the field.
  useLayoutEffect(() => {
    field.current?.focus()
    return () => run.stop()
  }, [])
  useSignalEffect(() => focusLit(talk.litRow.value))
  const show = (message: Message): void => {
    isListed.value = false
    talk.jump.value = { to: 'message', id: message.id, ts: message.ts }
  }
  return (
    <search
      class="chat-search"
      onKeyDown={event => {
        if (event.key === 'Escape') onClose()
      }}
    >
      {/* It replaces the header, which had the heading of the screen. */}
      <h1 class="unseen">{w.search}</h1>
      <div class="chat-search-bar">
        <Icon name="search" size={17} />
        <input
          ref={field}
          class="chat-search-field"
          type="search"
          autocomplete="off"
          dir="auto"
          aria-label={w.search}
          placeholder={w.search}
          onFocus={() => {
            isListed.value = true
          }}
          onInput={event => run.type(event.currentTarget.value)}
        />
        <IconButton icon="x" label={w.closeSearch} onClick={onClose} />
      </div>
      {run.found.value && isListed.value && <Results found={run.found.value} onShow={show} onMore={() => run.more()} />}
    </search>
  )
}

type ResultsProps = { found: FoundInChat; onShow: (message: Message) => void; onMore: () => Promise<void> }

function Results({ found, onShow, onMore }: ResultsProps): VNode {
  const talk = useTalk()
  const w = headerWords.value
  const { messages, hasMore } = found
  return (
    <div class="chat-search-results">
      <p class="chat-search-count" role="status">
        {messages.length === 0 ? w.nothingFound : w.found(messages.length)}
      </p>
      <ul>
        {messages.map(message => (
          <li key={message.id}>
            <button class="chat-search-result" type="button" onClick={() => onShow(message)}>
              <span class="chat-search-top">
                <NameText name={message.from.id === talk.me ? conversationWords.value.you : message.from.name} />
                <span class="chat-search-time">
                  <TimeText ts={message.ts} as="list" />
                </span>
              </span>
              <span class="chat-search-text" dir="auto">
                {snippetOf(message)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button kind="quiet" onClick={onMore}>
          {w.moreResults}
        </Button>
      )}
    </div>
  )
}
