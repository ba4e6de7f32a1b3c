// One message in the conversation: the avatar, the bubble, a bot's buttons, and the button for its actions.
import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Message } from '../../contract/objects.ts'
import { Avatar } from '../../parts/avatar/avatar.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { IconButton } from '../../parts/icons/icon-button.tsx'
import { menuPress } from '../../parts/menus/menu-press.ts'
import { isBot, toggleSelected, useTalk } from '../talk.ts'
import { conversationWords } from '../words.ts'
import { Bubble } from './bubble.tsx'
import { Buttons } from './buttons.tsx'
import { openMessageActions } from './message-actions.ts'
import './message-row.css'

type MessageRowProps = { message: Message; startsGroup: boolean; endsGroup: boolean }

export function MessageRow({ message, startsGroup, endsGroup }: MessageRowProps): VNode {
  const talk = useTalk()
  const { id } = message
  const isActive = useComputed(() => talk.activeRow.value === id)
  const isReached = useComputed(() => talk.activeRow.value === id || talk.hoveredRow.value === id)
  const isLit = useComputed(() => talk.litRow.value === id)
  const isSelected = useComputed(() => talk.selection.value?.has(id))
  const isOwn = message.from.id === talk.me
  const fromBot = isBot(talk, message.from)
  const press = useMemo(() => menuPress(at => openMessageActions(talk, message, at)), [message])
  const classes = [
    'row',
    isOwn && 'row-own',
    startsGroup && 'row-first',
    isLit.value && 'row-lit',
    isSelected.value && 'row-selected',
  ]
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
      onClickCapture={event => {
        if (isSelected.value === undefined) return
        event.preventDefault()
        event.stopPropagation()
        toggleSelected(talk, message)
      }}
      onPointerEnter={() => {
        talk.hoveredRow.value = id
      }}
    >
      {isSelected.value !== undefined && (
        <button
          class="row-check"
          type="button"
          role="checkbox"
          aria-checked={isSelected.value}
          aria-label={conversationWords.value.select}
        >
          {isSelected.value && <Icon name="check" size={15} />}
        </button>
      )}
      {!isOwn && talk.isGroup && <span class="row-face">{endsGroup && <Face message={message} />}</span>}
      <div class="row-column">
        <Bubble message={message} isOwn={isOwn} showsName={talk.isGroup && startsGroup} hasTail={endsGroup} />
        {fromBot && <Buttons message={message} />}
      </div>
      {isReached.value && isSelected.value === undefined && <More message={message} />}
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

export function Face({ message }: { message: Message }): VNode {
  const { id, name } = message.from
  return <Avatar id={id} name={name} bot={isBot(useTalk(), message.from)} size="xs" />
}
