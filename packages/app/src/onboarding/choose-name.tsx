// The only question to a new person: a name.
import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { call } from '../link/link.ts'
import { attempt, begin } from '../parts/attempt.ts'
import { Button } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Page } from '../parts/page.tsx'
import './onboarding.css'
import { nameProblem } from './name.ts'
import { onboardingWords } from './words.ts'

type ChooseNameProps = {
  /** The text of the button that creates the account. */
  word: string
  /** Below the field. */
  note?: ComponentChildren
  /** Called before the account is created; `onRefused` when that failed. */
  onChosen?: () => void
  onRefused?: () => void
  /** Other ways in, below it. */
  more: ComponentChildren
  /** Above the field. */
  children: ComponentChildren
}

/** The typed name stays while another screen is shown, such as one about the core. */
const name = signal('')

/** The stage decides what comes next: the account is open then. */
export function ChooseName({ word, note, onChosen, onRefused, more, children }: ChooseNameProps): VNode {
  const w = onboardingWords.value
  const isTried = useSignal(false)
  const isBusy = useSignal(false)
  const problem = nameProblem(name.value)
  const faults = { empty: isTried.value ? w.nameEmpty : undefined, long: w.nameLong, signs: w.nameSigns }
  const create = async (): Promise<void> => {
    isTried.value = true
    if (problem || isBusy.value) return
    isBusy.value = true
    onChosen?.()
    if (await attempt(call('createAccount', { name: name.value.trim() }))) name.value = ''
    else onRefused?.()
    isBusy.value = false
  }
  return (
    <form
      class="onboarding"
      onSubmit={event => {
        event.preventDefault()
        begin(create())
      }}
    >
      <Page
        align="middle"
        foot={
          <>
            <Button type="submit" busy={isBusy.value}>
              {word}
            </Button>
            {more}
          </>
        }
      >
        {children}
        <div class="onboarding-field">
          <TextField
            label={w.nameLabel}
            value={name.value}
            onInput={value => void (name.value = value)}
            fault={problem && faults[problem]}
            autofocus
          />
        </div>
        {note}
        <p class="onboarding-note">{w.noPassword}</p>
      </Page>
    </form>
  )
}
