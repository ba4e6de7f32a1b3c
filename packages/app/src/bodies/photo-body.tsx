// A photo: its preview until it is here, then itself; a click shows it large.
import type { VNode } from 'preact'
import { pictureOf } from '../parts/avatar/face.ts'
import { faultText } from '../parts/fault-words.ts'
import { Icon } from '../parts/icons/icon.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Spinner } from '../parts/spinner.tsx'
import type { FilePlace } from './opened-files.ts'
import './photo-body.css'
import { frameOf } from './picture-frame.ts'
import { useOpenedFile } from './use-opened-file.ts'
import { bodyWords } from './words.ts'

const HeldPhoto = lazyPart(() => import('./held-body.tsx').then(({ HeldPhoto }) => HeldPhoto))

/** Larger ones wait until somebody wants to see them. */
const AT_ONCE_BYTES_MAX = 8_000_000

type PhotoBodyProps = { place: FilePlace; onShow: () => void }

export function PhotoBody({ place, onShow }: PhotoBodyProps): VNode {
  const { file } = place
  const { state, open } = useOpenedFile(place, file.size <= AT_ONCE_BYTES_MAX ? 'at once' : 'asked')
  if (state.kind === 'held') return <HeldPhoto place={place} hold={state.hold} />
  const preview = pictureOf(file.preview)
  const frame = frameOf(file)
  return (
    <button
      class="photo-body"
      type="button"
      style={{ '--frame-width': `${frame.width}px`, '--frame-ratio': `${frame.width} / ${frame.height}` }}
      onClick={() => (state.kind === 'open' || state.kind === 'opening' ? onShow() : open())}
    >
      {/* Not a label of the button: that would silence the error text. */}
      <span class="unseen">{bodyWords.value.showPhoto(file.name)}</span>
      {preview && <img class="photo-body-preview" src={preview} alt="" />}
      {state.kind === 'open' && <img class="photo-body-picture" src={state.url} alt="" decoding="async" />}
      {state.kind === 'opening' && (
        <span class="photo-body-sign">
          <Spinner />
        </span>
      )}
      {state.kind === 'closed' && (
        <span class="photo-body-sign">
          <Icon name="download" />
        </span>
      )}
      {state.kind === 'failed' && <span class="photo-body-fault">{faultText(state.fault)}</span>}
    </button>
  )
}
