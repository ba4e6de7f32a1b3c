// One message in the conversation: the avatar, the bubble, a bot's buttons, and the button for its actions.
import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Message } from '../../contract/objects.ts'
import { Avatar } from '../../parts/avatar/avatar.tsx'
import { IconButton } from '../../parts/icons/icon-button.tsx'
import { isBot, useTalk } from '../talk.ts'
import { conversationWords } from '../words.ts'
import { Bubble } from './bubble.tsx'
import { Buttons } from './buttons.tsx'
import { longPress } from './long-press.ts'
import { openMessageActions } from './message-actions.ts'
import './message-row.css'

type MessageRowProps = { message: Message; startsGroup: boolean; endsGroup: boolean }

export function MessageRow({ message, startsGroup, endsGroup }: MessageRowProps): VNode {
  const talk = useTalk()
  const { id } = message
  const isActive = useComputed(() => talk.activeRow.value === id)
  const isReached = useComputed(() => talk.activeRow.value === id || talk.hoveredRow.value === id)
  const isLit = useComputed(() => talk.litRow.value === id)
  const isOwn = message.from.id === talk.me
  const fromBot = isBot(talk, message.from)
  const press = useMemo(() => longPress(at => openMessageActions(talk, message, at)), [message])
  const classes = ['row', isOwn && 'row-own', startsGroup && 'row-first', isLit.value && 'row-lit']
  return (
    <article
      {...press}
      class={classes.filter(Boolean).join(' ')}
      data-id={id}
      tabIndex={isActive.value ? 0 : -1}
      aria-labelledby={`${id}-from ${id}-body ${id}-meta`}
      onFocusIn={() => {
        talk.activeRow.value = id
      }}
      onPointerEnter={() => {
        talk.hoveredRow.value = id
      }}
      onContextMenu={event => {
        // Selected words are copied by the browser's own menu.
        if (getSelection()?.isCollapsed === false) return
        event.preventDefault()
        openMessageActions(talk, message, placeOf(event))
      }}
    >
      {!isOwn && (talk.isGroup || fromBot) && (
        <span class="row-face">{endsGroup && <Face message={message} bot={fromBot} />}</span>
      )}
      <div class="row-column">
        <Bubble message={message} isOwn={isOwn} showsName={talk.isGroup && startsGroup} hasTail={endsGroup} />
        {fromBot && <Buttons message={message} />}
      </div>
      {isReached.value && <More message={message} />}
    </article>
  )
}

/** Only for the active row: on every row it would be a fifth of the layout. */
function More({ message }: { message: Message }): VNode {
  const talk = useTalk()
  return (
    <span class="row-more">
      <IconButton
        icon="ellipsis-vertical"
        label={conversationWords.value.actions}
        size={18}
        onClick={button => openMessageActions(talk, message, button)}
      />
    </span>
  )
}

function Face({ message, bot }: { message: Message; bot: boolean }): VNode {
  const { id, name } = message.from
  return <Avatar id={id} name={name} bot={bot} size="xs" />
}

/** The keyboard's menu key has no position: then the menu is next to the row. */
const placeOf = (event: MouseEvent & { currentTarget: HTMLElement }): HTMLElement | { x: number; y: number } =>
  event.clientX === 0 && event.clientY === 0 ? event.currentTarget : { x: event.clientX, y: event.clientY }
