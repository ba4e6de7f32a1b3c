// A found message, with the words around the match.
import type { VNode } from 'preact'
import type { Message } from '../contract/objects.ts'
import { snippetOf } from '../conversation/snippet.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import { TimeText } from '../parts/text/time-text.tsx'
import { pathOf } from '../router.ts'
import { sortedChats } from './chat-list-state.ts'
import { excerptOf } from './excerpt.ts'
import { isBotChat } from './sort-chats.ts'

function chatOf(id: string) {
  const sorted = sortedChats.value
  return sorted && [...sorted.chats, ...sorted.requests, ...sorted.archived].find(line => line.id === id)
}

export function FoundMessage({ message, text }: { message: Message; text: string }): VNode {
  const chat = chatOf(message.chat_id)
  const { before, hit, after } = excerptOf(message.text || snippetOf(message), text)
  return (
    <a class="found-message" href={pathOf({ screen: 'chat', chat: message.chat_id, message: message.id })}>
      <Avatar id={message.chat_id} name={chat?.name ?? message.from.name} bot={chat && isBotChat(chat)} size="s" />
      <span class="found-message-words">
        <span class="found-message-top">
          <span class="found-message-name">
            <NameText name={chat?.name ?? message.from.name} />
          </span>
          <span class="found-message-time">
            <TimeText ts={message.ts} as="list" />
          </span>
        </span>
        <bdi class="found-message-text" dir="auto">
          {before}
          <mark class="found-message-hit">{hit}</mark>
          {after}
        </bdi>
      </span>
    </a>
  )
}
