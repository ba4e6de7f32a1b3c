// A whole screen that asks for one thing before the app continues, and shows its error at the field.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { CallError } from '../contract/calls.ts'
import { begin } from '../parts/attempt.ts'
import { faultWordsOf } from '../parts/fault-words.ts'
import { Button } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Icon, type IconName } from '../parts/icons/icon.tsx'
import { Page, PageText } from '../parts/page.tsx'
import '../onboarding/onboarding.css'
import './startup-failure.css'
import './one-field-form.css'

type OneFieldProps = {
  icon: IconName
  title: string
  text?: string
  label: string
  /** Not shown while it is typed, and cleared after every try. */
  isSecret?: boolean
  act: string
  whileBusy?: string
  /** The reason why nothing can be tried now. */
  hindrance?: string | undefined
  /** Undefined when it was right: the stage decides what comes next. */
  faultOf: (value: string) => Promise<string | undefined>
  /** Other ways, below the field. */
  more: ComponentChildren
}

export function OneFieldForm(props: OneFieldProps): VNode {
  const { icon, title, text, label, isSecret = false, act, whileBusy, hindrance, faultOf, more } = props
  const value = useSignal('')
  const fault = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const focus = (): void => form.current?.querySelector('input')?.focus()
  // Browsers respect `autofocus` only on the first screen of a page.
  useEffect(focus, [])
  const tryIt = async (): Promise<void> => {
    if (isBusy.value || hindrance !== undefined) return
    isBusy.value = true
    fault.value = await faultOf(value.value)
    isBusy.value = false
    if (isSecret) value.value = ''
    // The button could not keep it while it was busy.
    focus()
  }
  const ways = (
    <>
      <Button type="submit" busy={isBusy.value} disabled={hindrance !== undefined} whileBusy={whileBusy}>
        {act}
      </Button>
      {more}
    </>
  )
  return (
    <form
      ref={form}
      class="onboarding"
      onSubmit={event => {
        event.preventDefault()
        begin(tryIt())
      }}
    >
      <Page align="middle" foot={ways}>
        <span class="failure-sign one-field-sign">
          <Icon name={icon} size={30} />
        </span>
        <h1 class="failure-title">{title}</h1>
        {text && <PageText>{text}</PageText>}
        <div class="onboarding-field">
          <TextField
            label={label}
            {...(isSecret && { lines: 'secret' })}
            value={value.value}
            onInput={typed => {
              value.value = typed
              fault.value = undefined
            }}
            fault={hindrance ?? fault.value}
          />
        </div>
      </Page>
    </form>
  )
}

/** The words for a refusal of the call, or undefined. */
export async function refusalOf(called: Promise<unknown>): Promise<string | undefined> {
  try {
    await called
    return undefined
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return await faultWordsOf(error.fault)
  }
}
