// A row of the list: the chat's name, its last message, and the unread count.
import type { VNode } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { ChatLine } from '../contract/objects.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { Icon } from '../parts/icons/icon.tsx'
import { menuPress } from '../parts/menus/menu-press.ts'
import { openMenu } from '../parts/menus/menus.tsx'
import { BotLabel } from '../parts/text/bot-label.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import { TimeText } from '../parts/text/time-text.tsx'
import { pathOf } from '../router.ts'
import { chatActions } from './chat-actions.ts'
import './chat-row.css'
import { LastLine } from './last-line.tsx'
import { isBotChat } from './sort-chats.ts'
import { chatListWords } from './words.ts'

export type RowPlace = { at: number; count: number; isActive: boolean; isChosen: boolean }
type ChatRowProps = { line: ChatLine; me: string; place: RowPlace }

/** One tab stop for all rows; arrows move between them. */
export function ChatRow({ line, me, place }: ChatRowProps): VNode {
  const shown = useRef(line)
  shown.current = line
  const press = useMemo(
    () =>
      menuPress(at =>
        openMenu({ label: chatListWords.value.actionsFor(shown.current.name), items: chatActions(shown.current), at }),
      ),
    [],
  )
  return (
    <div
      role="listitem"
      class="chat-row-item"
      aria-setsize={place.count}
      aria-posinset={place.at + 1}
      style={{ '--at': String(place.at) }}
    >
      <a
        class={place.isChosen ? 'chat-row chat-row-chosen' : 'chat-row'}
        href={pathOf({ screen: 'chat', chat: line.id })}
        tabIndex={place.isActive ? 0 : -1}
        aria-current={place.isChosen ? 'page' : undefined}
        draggable={false}
        data-at={place.at}
        {...press}
      >
        <Avatar id={line.id} name={line.name} bot={isBotChat(line)} />
        <span class="chat-row-words">
          <TopLine line={line} />
          <span class="chat-row-low">
            <LastLine line={line} me={me} />
            {line.pinned && <Pin isSeen={line.unread === 0} />}
          </span>
        </span>
      </a>
    </div>
  )
}

/** The count replaces it while there is one; it is read out all the same. */
const Pin = ({ isSeen }: { isSeen: boolean }): VNode => (
  <span class="chat-row-sign">
    {isSeen && <Icon name="pin" size={14} />}
    <span class="unseen">{chatListWords.value.pinned}</span>
  </span>
)

/** The count is read out right after the name, wherever it is displayed. */
function TopLine({ line }: { line: ChatLine }): VNode {
  const w = chatListWords.value
  return (
    <span class="chat-row-top">
      <span class="chat-row-name">
        <NameText name={line.name} />
      </span>
      {isBotChat(line) && <BotLabel />}
      {line.unread > 0 && (
        <span class={line.muted ? 'chat-row-count chat-row-count-quiet' : 'chat-row-count'}>
          <span aria-hidden="true">{line.unread > 999 ? '999+' : line.unread}</span>
          <span class="unseen">{w.unread(line.unread)}</span>
        </span>
      )}
      {line.muted && (
        <span class="chat-row-sign" title={w.muted}>
          <Icon name="bell-off" size={14} />
          <span class="unseen">{w.muted}</span>
        </span>
      )}
      <span class="chat-row-time">
        <TimeText ts={line.last_ts} as="list" />
      </span>
    </span>
  )
}
