// The results of a search: chats by their name immediately, messages as soon as the core has searched.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Message } from '../contract/objects.ts'
import { call } from '../link/link.ts'
import { attempt, begin } from '../parts/attempt.ts'
import { Button } from '../parts/fields/button.tsx'
import { isPlainKey } from '../parts/plain-key.ts'
import { sortedChats } from './chat-list-state.ts'
import { FoundMessage } from './found-message.tsx'
import './search-results.css'
import { placeAfterKey } from './list-keys.ts'
import { RowList } from './row-list.tsx'
import { findChats } from './sort-chats.ts'
import { chatListWords } from './words.ts'

const PAUSE_MS = 200
const PAGE = 30

/** The `text` of the search: a late answer must not appear under another search. */
type Answer = { text: string; messages: Message[]; hasMore: boolean }

async function ask(text: string, before?: Answer): Promise<Answer | undefined> {
  const beforeTs = before?.messages.at(-1)?.ts
  const done = await attempt(call('search', { text, limit: PAGE, ...(beforeTs !== undefined && { beforeTs }) }))
  if (!done) return undefined
  const { messages } = done.value
  return { text, messages: [...(before?.messages ?? []), ...messages], hasMore: messages.length === PAGE }
}

export function SearchResults({ text, me }: { text: string; me: string }): VNode {
  const w = chatListWords.value
  const answer = useSignal<Answer | undefined>(undefined)
  const look = async (before?: Answer): Promise<void> => {
    const found = await ask(text, before)
    if (found) answer.value = found
  }
  useEffect(() => {
    const timer = setTimeout(() => begin(look()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const sorted = sortedChats.value
  const chats = sorted ? findChats([...sorted.chats, ...sorted.requests, ...sorted.archived], text) : []
  const found = answer.value?.text === text ? answer.value : undefined
  return (
    <>
      {chats.length > 0 && <h2 class="chat-list-section">{w.chats}</h2>}
      <RowList label={w.chats} lines={chats} me={me} />
      {found && found.messages.length > 0 && <FoundMessages found={found} more={() => look(found)} />}
      {chats.length === 0 && found?.messages.length === 0 && (
        <p class="found-nothing" role="status">
          {w.nothingFound}
        </p>
      )}
    </>
  )
}

function FoundMessages({ found, more }: { found: Answer; more: () => Promise<void> }): VNode {
  const w = chatListWords.value
  return (
    <>
      <h2 class="chat-list-section">{w.messages}</h2>
      <ul class="found-messages" onKeyDown={moveAmongFound}>
        {found.messages.map(message => (
          <li key={message.id}>
            <FoundMessage message={message} text={found.text} />
          </li>
        ))}
      </ul>
      {found.hasMore && (
        <Button kind="quiet" onClick={more}>
          {w.more}
        </Button>
      )}
    </>
  )
}

function moveAmongFound(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const found = [...event.currentTarget.querySelectorAll<HTMLElement>('.found-message')]
  const to = placeAfterKey(event.key, found.indexOf(event.target as HTMLElement), found.length)
  if (to === undefined || !isPlainKey(event)) return
  event.preventDefault()
  found[to]?.focus()
}
