// A photo that was fetched and not decoded: the reason, and a way to see it all the same.
import type { VNode } from 'preact'
import { begin } from '../parts/attempt.ts'
import { FileLine } from '../parts/file-line.tsx'
import { Icon } from '../parts/icons/icon.tsx'
import './held-body.css'
import type { PhotoHold } from './held-photo.ts'
import { holdWords } from './held-words.ts'
import { type FilePlace, showHeld } from './opened-files.ts'
import { saveFile } from './save-file.ts'

export function HeldPhoto({ place, hold }: { place: FilePlace; hold: PhotoHold }): VNode {
  const { text, action } = holdWords(hold)
  const onClick = () => (hold.why === 'unknown' ? begin(saveFile(place)) : showHeld(place))
  return (
    <button class="held-body" type="button" onClick={onClick}>
      <FileLine sign={<Icon name="image" size={22} />} name={place.file.name} facts={text}>
        <strong class="held-body-action">{action}</strong>
      </FileLine>
    </button>
  )
}
