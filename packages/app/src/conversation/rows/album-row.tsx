// An album: photos and videos that were sent together, in one bubble with one caption. Each is a message of its own.
import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { PhotoBody } from '../../bodies/photo-body.tsx'
import { bodyWords } from '../../bodies/words.ts'
import type { FileInfo, Message } from '../../contract/objects.ts'
import { lengthOf } from '../../i18n/sizes.ts'
import { begin } from '../../parts/attempt.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { menuPress } from '../../parts/menus/menu-press.ts'
import { useTalk } from '../talk.ts'
import { directionOf } from '../text-direction.ts'
import './album-row.css'
import { viewer } from './body-kinds.tsx'
import { Meta, Sender } from './bubble.tsx'
import { useLeftMs } from './expiry.tsx'
import { openMessageActions } from './message-actions.ts'
import { Face } from './message-row.tsx'
import { Quote } from './quote.tsx'
import { Reactions } from './reactions.tsx'
import { TextBody } from './text-body.tsx'

type AlbumRowProps = { messages: readonly [Message, ...Message[]]; startsGroup: boolean; endsGroup: boolean }

export function AlbumRow({ messages, startsGroup, endsGroup }: AlbumRowProps): VNode {
  const talk = useTalk()
  const [first] = messages
  const last = messages.at(-1) ?? first
  const leftMs = useLeftMs(last.expires_ts)
  const isOwn = first.from.id === talk.me
  const classes = ['row', isOwn && 'row-own', startsGroup && 'row-first']
  const bubble = ['bubble', isOwn && 'bubble-own', endsGroup && 'bubble-tail']
  return (
    <div class={classes.filter(Boolean).join(' ')}>
      {!isOwn && talk.isGroup && <span class="row-face">{endsGroup && <Face message={first} />}</span>}
      <div class="row-column">
        <div class={bubble.filter(Boolean).join(' ')}>
          <Sender message={first} isOwn={isOwn} showsName={talk.isGroup && startsGroup} />
          {first.reply_to && <Quote id={first.reply_to} />}
          <div class="album">
            {messages.map(message => (
              <AlbumPart key={message.id} message={message} isOwn={isOwn} />
            ))}
          </div>
          <div class="bubble-body" dir={directionOf(first.text ?? '')}>
            <TextBody message={first} />
            <Meta message={last} leftMs={leftMs} />
          </div>
        </div>
      </div>
    </div>
  )
}

/** Its own row for the keyboard, the menu, reactions and the place to which a link leads. */
function AlbumPart({ message, isOwn }: { message: Message; isOwn: boolean }): VNode {
  const talk = useTalk()
  const { id, file } = message
  const isActive = useComputed(() => talk.activeRow.value === id)
  const isLit = useComputed(() => talk.litRow.value === id)
  const press = useMemo(() => menuPress(at => openMessageActions(talk, message, at)), [message])
  const kind = file?.kind === 'video' ? bodyWords.value.video : bodyWords.value.photo
  const show = (): void => begin(viewer().then(({ showMedia }) => showMedia(message)))
  return (
    <article
      {...press}
      class={isLit.value ? 'album-part album-part-lit' : 'album-part'}
      data-id={id}
      tabIndex={isActive.value ? 0 : -1}
      aria-label={isOwn ? kind : `${message.from.name}: ${kind}`}
      onFocusIn={() => {
        talk.activeRow.value = id
      }}
    >
      {file?.kind === 'photo' && <PhotoBody place={{ chat: message.chat_id, message: id, file }} onShow={show} />}
      {file?.kind === 'video' && <VideoPart file={file} onShow={show} />}
      <Reactions message={message} />
    </article>
  )
}

const VideoPart = ({ file, onShow }: { file: FileInfo; onShow: () => void }): VNode => (
  <button class="album-video" type="button" onClick={onShow}>
    <span class="unseen">{bodyWords.value.playVideo}</span>
    <Icon name="play" size={24} />
    {file.duration_ms !== undefined && <span class="album-video-length">{lengthOf(file.duration_ms)}</span>}
  </button>
)
