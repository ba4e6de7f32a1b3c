// The choices of a poll before the vote: one of them, or several and a button.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import type { Poll } from '../contract/objects.ts'
import { begin } from '../parts/attempt.ts'
import { Button } from '../parts/fields/button.tsx'
import { isPlainKey } from '../parts/plain-key.ts'
import { bodyWords } from './words.ts'

type PollChoicesProps = { poll: Poll; onVote: (options: number[]) => Promise<void> }

export function PollChoices({ poll, onVote }: PollChoicesProps): VNode {
  const chosen = useSignal<readonly number[]>(poll.voted)
  const group = useId()
  const choose = (at: number, isOn: boolean) => {
    if (!poll.multiple) return begin(onVote([at]))
    chosen.value = isOn
      ? [...chosen.value, at].toSorted((one, other) => one - other)
      : chosen.value.filter(other => other !== at)
  }
  return (
    <>
      <div
        class="poll-choices"
        role={poll.multiple ? 'group' : 'radiogroup'}
        aria-label={poll.question}
        onKeyDown={moveOnly}
      >
        {poll.options.map((option, at) => (
          <label class="poll-choice" key={`${at} ${option.text}`}>
            <input
              type={poll.multiple ? 'checkbox' : 'radio'}
              name={group}
              checked={chosen.value.includes(at)}
              onChange={event => choose(at, event.currentTarget.checked)}
            />
            <span dir="auto">{option.text}</span>
          </label>
        ))}
      </div>
      {poll.multiple && (
        <Button disabled={chosen.value.length === 0} onClick={() => onVote([...chosen.value])}>
          {bodyWords.value.vote}
        </Button>
      )}
    </>
  )
}

/** An arrow moves without voting: by default a browser would choose each radio on the way, visible to everybody. */
function moveOnly(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
  const inputs = [...event.currentTarget.querySelectorAll('input')]
  const at = inputs.findIndex(input => input === event.target)
  if (step === undefined || at === -1 || !isPlainKey(event)) return
  event.preventDefault()
  inputs[(at + step + inputs.length) % inputs.length]?.focus()
}
