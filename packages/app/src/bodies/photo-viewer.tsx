// One photo on the whole screen, and the ones before and after it in the conversation.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { begin } from '../parts/attempt.ts'
import { useModal } from '../parts/dialogs/modal.ts'
import { faultText } from '../parts/fault-words.ts'
import { Button } from '../parts/fields/button.tsx'
import { IconButton } from '../parts/icons/icon-button.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { holdWords } from './held-words.ts'
import { type FilePlace, showHeld } from './opened-files.ts'
import './photo-viewer.css'
import { saveFile } from './save-file.ts'
import { useOpenedFile } from './use-opened-file.ts'
import { bodyWords } from './words.ts'

type PhotoViewerProps = { photos: readonly FilePlace[]; first: FilePlace; onClose: () => void }

export function PhotoViewer({ photos, first, onClose }: PhotoViewerProps): VNode {
  const modal = useModal(onClose)
  const at = useSignal(
    Math.max(
      0,
      photos.findIndex(({ message }) => message === first.message),
    ),
  )
  const place = photos[at.value] ?? first
  const step = (by: number) => {
    at.value = Math.min(photos.length - 1, Math.max(0, at.value + by))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const forward = getComputedStyle(document.body).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    if (event.key === forward) step(1)
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') step(-1)
  }
  const w = bodyWords.value
  return (
    <dialog {...modal} class="photo-viewer" aria-label={w.photo} onKeyDown={onKeyDown}>
      <header class="photo-viewer-bar">
        <bdi class="photo-viewer-name">{place.file.name}</bdi>
        <IconButton icon="download" label={w.save(place.file.name)} onClick={() => begin(saveFile(place))} />
        <IconButton icon="x" label={w.close} onClick={onClose} />
      </header>
      <LargePhoto key={place.message} place={place} />
      <nav class="photo-viewer-steps">
        <IconButton icon="chevron-left" label={w.previous} disabled={at.value === 0} onClick={() => step(-1)} />
        <IconButton
          icon="chevron-right"
          label={w.next}
          disabled={at.value >= photos.length - 1}
          onClick={() => step(1)}
        />
      </nav>
    </dialog>
  )
}

function LargePhoto({ place }: { place: FilePlace }): VNode {
  const { state } = useOpenedFile(place, 'at once')
  const isZoomed = useSignal(false)
  if (state.kind === 'failed') return <p class="photo-viewer-fault">{faultText(state.fault)}</p>
  if (state.kind === 'held') {
    const { text, action } = holdWords(state.hold)
    return (
      <div class="photo-viewer-held">
        <p>{text}</p>
        <Button kind="plain" onClick={() => (state.hold.why === 'unknown' ? saveFile(place) : showHeld(place))}>
          {action}
        </Button>
      </div>
    )
  }
  if (state.kind !== 'open')
    return (
      <p class="photo-viewer-fault">
        <Spinner /> {bodyWords.value.loading}
      </p>
    )
  return (
    <button
      class={isZoomed.value ? 'photo-viewer-place photo-viewer-zoomed' : 'photo-viewer-place'}
      type="button"
      aria-label={bodyWords.value.zoom}
      aria-pressed={isZoomed.value}
      onClick={() => void (isZoomed.value = !isZoomed.value)}
    >
      <img class="photo-viewer-picture" src={state.url} alt={place.file.name} />
    </button>
  )
}
