// The picture of an account or a group, with a button to choose another and one to remove it.
import type { ComponentChildren, VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { begin } from '../attempt.ts'
import { Icon } from '../icons/icon.tsx'
import { showToast } from '../toasts/toast-list.ts'
import { Button } from './button.tsx'
import './face-picker.css'
import { pictureWords } from './picture-words.ts'
import { makeSquare } from './square-picture.ts'
import '../icons/with-lazy-icons.ts'

type FacePickerProps = {
  /** The avatar. */
  children: ComponentChildren
  bytesMax: number
  canRemove: boolean
  /** Null removes it. */
  onChoose: (picture: Blob | null) => Promise<void>
}

export function FacePicker({ children, bytesMax, canRemove, onChoose }: FacePickerProps): VNode {
  const w = pictureWords.value
  const input = useRef<HTMLInputElement>(null)
  const choose = async (file: File): Promise<void> => {
    const picture = await makeSquare(file, bytesMax)
    if (picture) await onChoose(picture)
    else showToast({ kind: 'error', text: w.notAPicture })
  }
  return (
    <div class="face-picker">
      <div class="face-frame">
        {children}
        {/* Above the avatar, not around it: the initials of the avatar are not part of its name. */}
        <button class="face-button" type="button" aria-label={w.choose} onClick={() => input.current?.click()}>
          <span class="face-camera">
            <Icon name="camera" size={18} />
          </span>
        </button>
      </div>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={w.choose}
        onChange={event => {
          const [file] = event.currentTarget.files ?? []
          // Choosing the same file again is a choice, too.
          event.currentTarget.value = ''
          if (file) begin(choose(file))
        }}
      />
      {canRemove && (
        <Button kind="quiet" onClick={() => onChoose(null)}>
          {w.remove}
        </Button>
      )}
    </div>
  )
}
