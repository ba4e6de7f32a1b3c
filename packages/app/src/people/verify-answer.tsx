// Yes or no, on the whole screen: in colour, sign and word.
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { shortNameOf } from '../parts/avatar/face.ts'
import { useModal } from '../parts/dialogs/modal.ts'
import { Icon } from '../parts/icons/icon.tsx'
import type { ComparisonResult } from './compare.ts'
import './verify.css'
import { peopleWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

type VerifyAnswerProps = { compared: ComparisonResult; name: string; onClose: () => void }

export function VerifyAnswer({ compared, name, onClose }: VerifyAnswerProps): VNode {
  const w = peopleWords.value
  const modal = useModal(onClose)
  const id = useId()
  const isSame = compared === 'same'
  return (
    <dialog
      {...modal}
      class={isSame ? 'verify-answer verify-answer-same' : 'verify-answer verify-answer-different'}
      aria-labelledby={id}
    >
      <div class="verify-answer-inside">
        <Icon name={isSame ? 'circle-check' : 'circle-x'} size={96} />
        <h2 class="verify-answer-word" id={id}>
          {isSame ? w.yes : w.no}
        </h2>
        <p dir="auto">{isSame ? w.yesText(shortNameOf(name)) : w.noText(shortNameOf(name))}</p>
        <button class="verify-answer-done" type="button" onClick={onClose}>
          {w.ok}
        </button>
      </div>
    </dialog>
  )
}
