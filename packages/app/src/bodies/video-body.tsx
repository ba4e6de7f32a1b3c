// A video: fetched when somebody wants to see it, and played in its place.
import type { VNode } from 'preact'
import { lengthOf, sizeOf } from '../i18n/sizes.ts'
import { faultText } from '../parts/fault-words.ts'
import { Icon } from '../parts/icons/icon.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { FileBody } from './file-body.tsx'
import { isPlayable } from './held-photo.ts'
import type { FilePlace } from './opened-files.ts'
import { frameOf } from './picture-frame.ts'
import { useOpenedFile } from './use-opened-file.ts'
import './video-body.css'
import { bodyWords } from './words.ts'

export function VideoBody({ place }: { place: FilePlace }): VNode {
  return isPlayable(place.file) ? <PlayedVideo place={place} /> : <SavedVideo place={place} />
}

/** All of it would have to fit into the memory of the page. */
const SavedVideo = ({ place }: { place: FilePlace }): VNode => (
  <>
    <FileBody place={place} />
    <span class="video-body-note">{bodyWords.value.tooLargeToPlay}</span>
  </>
)

function PlayedVideo({ place }: { place: FilePlace }): VNode {
  const { file } = place
  const { state, open } = useOpenedFile(place, 'asked')
  const frame = frameOf(file)
  const style = { '--frame-width': `${frame.width}px`, '--frame-ratio': `${frame.width} / ${frame.height}` }
  if (state.kind === 'open')
    return (
      <video class="video-body" style={style} src={state.url} controls autoplay playsInline aria-label={file.name} />
    )
  return (
    <button class="video-body" type="button" style={style} onClick={open}>
      <span class="unseen">{bodyWords.value.playVideo}</span>
      <span class="video-body-sign">{state.kind === 'opening' ? <Spinner /> : <Icon name="play" size={24} />}</span>
      <span class="video-body-facts">{state.kind === 'failed' ? faultText(state.fault) : factsOf(file)}</span>
    </button>
  )
}

const factsOf = ({ duration_ms, size }: FilePlace['file']): string =>
  duration_ms === undefined ? sizeOf(size) : `${lengthOf(duration_ms)} · ${sizeOf(size)}`
