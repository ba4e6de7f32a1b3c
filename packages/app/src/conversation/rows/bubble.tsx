// A message bubble: the name, the quoted message, the words, the time and status, and the reactions.
import type { VNode } from 'preact'
import { PollBody } from '../../bodies/poll-body.tsx'
import type { Message } from '../../contract/objects.ts'
import { hueOf } from '../../parts/avatar/face.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { BotLabel } from '../../parts/text/bot-label.tsx'
import { NameText } from '../../parts/text/name-text.tsx'
import { TimeText } from '../../parts/text/time-text.tsx'
import { isBot, useTalk } from '../talk.ts'
import { directionOf } from '../text-direction.ts'
import { conversationWords } from '../words.ts'
import { MessageBody } from './body-kinds.tsx'
import './bubble.css'
import { Countdown, useLeftMs } from './expiry.tsx'
import { visibility } from './expiry-steps.ts'
import { Quote } from './quote.tsx'
import { Reactions } from './reactions.tsx'
import { StatusSign } from './status-sign.tsx'

type BubbleProps = { message: Message; isOwn: boolean; showsName: boolean; hasTail: boolean }

export function Bubble({ message, isOwn, showsName, hasTail }: BubbleProps): VNode {
  const leftMs = useLeftMs(message.expires_ts)
  const kind = isOwn ? 'bubble bubble-own' : 'bubble'
  return (
    <div
      class={hasTail ? `${kind} bubble-tail` : kind}
      style={leftMs === undefined ? {} : { opacity: String(visibility(leftMs)) }}
    >
      <Sender message={message} isOwn={isOwn} showsName={showsName} />
      {message.forwarded && (
        <div class="bubble-forwarded">
          <Icon name="forward" size={13} />
          {conversationWords.value.forwarded}
        </div>
      )}
      {message.reply_to && <Quote id={message.reply_to} />}
      {/* The time is in the text's own box, so that it fits into its last line. */}
      <div class="bubble-body" dir={directionOf(message.text ?? message.poll?.question ?? '')}>
        <span id={`${message.id}-body`}>
          {message.poll ? (
            <PollBody
              message={message}
              poll={message.poll}
              isOwn={isOwn}
              meta={<Meta message={message} leftMs={leftMs} />}
            />
          ) : (
            <MessageBody message={message} />
          )}
        </span>
        {!message.poll && <Meta id={`${message.id}-meta`} message={message} leftMs={leftMs} />}
      </div>
      <Reactions message={message} />
    </div>
  )
}

type Told = { message: Message; leftMs: number | undefined; id?: string }

/** The time of the message, and its status. */
export const Meta = ({ message, leftMs, id }: Told): VNode => (
  <span class="bubble-meta" id={id} dir="ltr">
    {leftMs !== undefined && <Countdown leftMs={leftMs} />}
    {message.edited_ts !== undefined && <span>{conversationWords.value.edited}</span>}
    <TimeText ts={message.ts} />
    {message.status && <StatusSign status={message.status} />}
  </span>
)

/** Every row has it for screen readers; it is visible where several people write. */
export function Sender({ message, isOwn, showsName }: Omit<BubbleProps, 'hasTail'>): VNode {
  const talk = useTalk()
  const id = `${message.id}-from`
  if (isOwn || !showsName)
    return (
      <span class="unseen" id={id}>
        {isOwn ? conversationWords.value.you : message.from.name}
      </span>
    )
  return (
    <div class="bubble-from" id={id} style={{ '--hue': String(hueOf(message.from.id)) }}>
      <NameText name={message.from.name} />
      {isBot(talk, message.from) && <BotLabel />}
    </div>
  )
}
