// The bar above a conversation: the other person or group, its protection, and the actions on the chat.
import type { VNode } from 'preact'
import type { ChatDetail } from '../../contract/objects.ts'
import { timerText } from '../../i18n/timers.ts'
import { useView } from '../../link/link.ts'
import { Avatar } from '../../parts/avatar/avatar.tsx'
import { Bar, BarTitle } from '../../parts/bar.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { IconButton } from '../../parts/icons/icon-button.tsx'
import { openMenu } from '../../parts/menus/menus.tsx'
import { go } from '../../router.ts'
import { useTalk } from '../talk.ts'
import { useTypingText } from '../use-typing-text.ts'
import { chatMenu } from './chat-menu.tsx'
import './header.css'
import { headerWords } from './words.ts'

export function Header({ onSearch }: { onSearch: () => void }): VNode {
  const chat = useTalk().chat.value
  const w = headerWords.value
  const isBot = chat.bot !== undefined
  const buttons = (
    <>
      <IconButton icon="search" label={w.search} onClick={onSearch} />
      <IconButton
        icon="ellipsis-vertical"
        label={w.menu}
        onClick={at => openMenu({ label: w.menu, items: chatMenu(chat), at })}
      />
    </>
  )
  return (
    <Bar back="narrow" onBack={() => go({ screen: 'chats' }, 'replace')} end={buttons}>
      <div class="header-who">
        <Avatar id={chat.id} name={chat.name} bot={isBot} size="s" />
        <BarTitle name={chat.name} bot={isBot} sub={<Sub chat={chat} />} />
        <button
          class="header-open"
          type="button"
          aria-label={w.about(chat.name)}
          onClick={() => go({ screen: 'chat-info', chat: chat.id })}
        />
      </div>
    </Bar>
  )
}

function Sub({ chat }: { chat: ChatDetail }): VNode {
  const w = headerWords.value
  const connection = useView('connection')
  const typing = useTypingText(chat).value
  if (connection.value === 'connecting')
    return (
      <span class="header-fact" dir="auto">
        {w.connecting}
      </span>
    )
  if (typing !== undefined)
    return (
      <span class="header-fact header-typing" dir="auto">
        {typing}
      </span>
    )
  return (
    <>
      {chat.type === 'group' && (
        <span class="header-fact" dir="auto">
          {w.members(chat.members.length)}
        </span>
      )}
      {chat.type === 'private' && (
        <>
          <Icon name={chat.verified ? 'shield-check' : 'lock'} size={13} />
          <span class="header-fact" dir="auto">
            {chat.verified ? w.verified : w.encrypted}
          </span>
        </>
      )}
      {chat.bot && (
        <span class="header-fact header-more">
          · <span dir="auto">{w.ownerSees}</span>
        </span>
      )}
      {chat.timer_ms > 0 && (
        <span class="header-fact header-timer" title={w.disappears(timerText(chat.timer_ms))}>
          <span aria-hidden="true">·</span>
          <Icon name="timer" size={13} />
          <span aria-hidden="true" dir="auto">
            {timerText(chat.timer_ms)}
          </span>
          <span class="unseen">{w.disappears(timerText(chat.timer_ms))}</span>
        </span>
      )}
    </>
  )
}
