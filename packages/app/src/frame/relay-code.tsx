// The relay accepts new accounts with a code: asks for it, and shows its error at the field.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { CallError } from '../contract/calls.ts'
import { call } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { faultWordsOf } from '../parts/fault-words.ts'
import { Button } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Icon } from '../parts/icons/icon.tsx'
import { Page, PageText } from '../parts/page.tsx'
import '../onboarding/onboarding.css'
import './startup-failure.css'
import '../parts/icons/with-lazy-icons.ts'
import './relay-code.css'
import { failureWords } from './failure-words.ts'

/** `more`: other ways, below the code. The stage decides what comes next. */
export function RelayCode({ more }: { more: ComponentChildren }): VNode {
  const w = failureWords.value
  const { title, text } = w.failures['code-needed']
  const code = useSignal('')
  const fault = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const focus = (): void => form.current?.querySelector('input')?.focus()
  // Browsers respect `autofocus` only on the first screen of a page, which was the name's.
  useEffect(focus, [])
  const tryIt = async (): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    fault.value = code.value.trim() === '' ? w.codeEmpty : await faultOfCode(code.value)
    isBusy.value = false
    // The button could not keep it while it was busy.
    focus()
  }
  const ways = (
    <>
      <Button type="submit" busy={isBusy.value}>
        {w.useCode}
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
        <span class="failure-sign relay-code-sign">
          <Icon name="key-round" size={30} />
        </span>
        <h1 class="failure-title">{title}</h1>
        <PageText>{text}</PageText>
        <div class="onboarding-field">
          <TextField
            label={w.code}
            value={code.value}
            onInput={value => {
              code.value = value
              fault.value = undefined
            }}
            fault={fault.value}
          />
        </div>
      </Page>
    </form>
  )
}

/** Undefined when the relay has accepted it. */
async function faultOfCode(code: string): Promise<string | undefined> {
  try {
    await call('useRelayCode', { code })
    return undefined
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return await faultWordsOf(error.fault)
  }
}
