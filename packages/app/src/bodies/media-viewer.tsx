// A photo or a video on the whole screen, and those before and after it in the chat.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Message } from '../contract/objects.ts'
import { useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { useModal } from '../parts/dialogs/modal.ts'
import { faultText } from '../parts/fault-words.ts'
import { Button } from '../parts/fields/button.tsx'
import { IconButton } from '../parts/icons/icon-button.tsx'
import { isPlainKey } from '../parts/plain-key.ts'
import { Spinner } from '../parts/spinner.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import { TimeText } from '../parts/text/time-text.tsx'
import { isPlayable } from './held-photo.ts'
import { holdWords } from './held-words.ts'
import './media-viewer.css'
import { type FilePlace, showHeld } from './opened-files.ts'
import { saveFile } from './save-file.ts'
import { useOpenedFile } from './use-opened-file.ts'
import type { GestureEnd } from './viewer-gesture.ts'
import { ViewerStage } from './viewer-stage.tsx'
import { bodyWords } from './words.ts'

/** Read on each side of the present one: enough for a quick hand, until the next answer. */
const NEIGHBOURS = 8

export const showMedia = (first: Message): Promise<void> =>
  ask<void>(answer => <MediaViewer first={first} onClose={() => answer()} />)

function MediaViewer({ first, onClose }: { first: Message; onClose: () => void }): VNode {
  const modal = useModal(onClose)
  const shown = useSignal(first)
  const { message, place, older, newer } = useNeighbours(shown.value, onClose)
  const w = bodyWords.value
  const step = (to: Message | undefined): void => {
    if (to) shown.value = to
  }
  const end = (how: GestureEnd): void => {
    if (how === 'close') onClose()
    else if (how !== 'none') step((how === 'forward') === isRightToLeft() ? older : newer)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target } = event
    // The player moves its own position by the arrows.
    if (target instanceof HTMLVideoElement || !isPlainKey(event) || !(key === 'ArrowLeft' || key === 'ArrowRight'))
      return
    end(key === 'ArrowRight' ? 'forward' : 'back')
  }
  const isVideo = place?.file.kind === 'video'
  return (
    <dialog {...modal} class="media-viewer" aria-label={isVideo ? w.video : w.photo} onKeyDown={onKeyDown}>
      <header class="media-viewer-bar">
        <div class="media-viewer-words">
          <span class="media-viewer-name">
            <NameText name={message.from.name} />
          </span>
          <span class="media-viewer-time">
            <TimeText ts={message.ts} as="whole" />
          </span>
        </div>
        {place && <IconButton icon="download" label={w.save(place.file.name)} onClick={() => begin(saveFile(place))} />}
        <IconButton icon="x" label={w.close} onClick={onClose} />
      </header>
      <ViewerStage key={message.id} canZoom={!isVideo} onEnd={end}>
        {place && (isVideo ? <LargeVideo place={place} /> : <LargePhoto place={place} />)}
      </ViewerStage>
      <footer class="media-viewer-foot">
        <IconButton icon="chevron-left" label={w.previous} disabled={!older} onClick={() => step(older)} />
        {message.text && (
          <p class="media-viewer-caption" dir="auto" tabIndex={0}>
            {message.text}
          </p>
        )}
        <IconButton icon="chevron-right" label={w.next} disabled={!newer} onClick={() => step(newer)} />
      </footer>
    </dialog>
  )
}

type Shown = { message: Message; place: FilePlace | undefined; older: Message | undefined; newer: Message | undefined }

/** Closes when the message is deleted or has expired. */
function useNeighbours(shown: Message, onGone: () => void): Shown {
  const around = useView('media', shown.chat_id, 'seen', { around: shown.ts }, NEIGHBOURS).value
  const at = around?.findIndex(({ id }) => id === shown.id) ?? -1
  useEffect(() => {
    if (around && at === -1) onGone()
  }, [around, at])
  const message = around?.[at] ?? shown
  const { file } = message
  const place = file && { chat: message.chat_id, message: message.id, file }
  return { message, place, older: at === -1 ? undefined : around?.[at + 1], newer: around?.[at - 1] }
}

const isRightToLeft = (): boolean => getComputedStyle(document.body).direction === 'rtl'

function LargePhoto({ place }: { place: FilePlace }): VNode {
  const { state } = useOpenedFile(place, 'at once')
  if (state.kind === 'held') {
    const { text, action } = holdWords(state.hold)
    return (
      <div class="media-viewer-note">
        <p>{text}</p>
        <Button kind="plain" onClick={() => (state.hold.why === 'unknown' ? saveFile(place) : showHeld(place))}>
          {action}
        </Button>
      </div>
    )
  }
  if (state.kind === 'open')
    return <img class="media-viewer-picture" src={state.url} alt={place.file.name} draggable={false} />
  return state.kind === 'failed' ? <Note>{faultText(state.fault)}</Note> : <Loading />
}

function LargeVideo({ place }: { place: FilePlace }): VNode {
  const { state } = useOpenedFile(place, isPlayable(place.file) ? 'at once' : 'asked')
  if (!isPlayable(place.file)) return <Note>{bodyWords.value.tooLargeToPlay}</Note>
  if (state.kind === 'open')
    return (
      <video class="media-viewer-picture" src={state.url} controls autoplay playsInline aria-label={place.file.name} />
    )
  return state.kind === 'failed' ? <Note>{faultText(state.fault)}</Note> : <Loading />
}

const Note = ({ children }: { children: string }): VNode => <p class="media-viewer-note">{children}</p>

const Loading = (): VNode => (
  <p class="media-viewer-note">
    <Spinner /> {bodyWords.value.loading}
  </p>
)
