// The text field: it grows with its text, and shows a hint for a command's argument after it.
import { type Signal, useSignalEffect } from '@preact/signals'
import type { VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { begin } from '../../parts/attempt.ts'
import { lastEditable } from '../rows/action-rules.ts'
import { type Talk, useTalk } from '../talk.ts'
import { hintFor } from '../writing/completion.ts'
import type { CompletionChoice } from './choosing.ts'
import { choiceId, LIST_ID } from './completion-menu.tsx'
import './field.css'
import { submitField } from '../submit.ts'
import { deedOf, type FieldDeed } from '../writing/field-keys.ts'
import { composerWords } from './words.ts'

type FieldProps = {
  choosing: CompletionChoice
  enterSends: boolean
  /** The caret's position once the text has changed. */
  caretTo: Signal<number | undefined>
  onChoose: () => void
}

export function Field({ choosing, enterSends, caretTo, onChoose }: FieldProps): VNode {
  const talk = useTalk()
  const { compose } = talk
  const field = useRef<HTMLTextAreaElement>(null)
  const text = compose.text.value
  const hint = hintFor(talk.chat.value, text)
  const hasChoices = choosing.choices.value.length > 0
  useLayoutEffect(() => grow(field.current), [text])
  useLayoutEffect(() => {
    if (caretTo.value === undefined) return
    field.current?.setSelectionRange(caretTo.value, caretTo.value)
    choosing.caret.value = caretTo.value
    caretTo.value = undefined
  }, [caretTo.value])
  useSignalEffect(() => {
    if (compose.wantsFocus.value > 0) field.current?.focus()
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    const isAbout = compose.about.value.kind !== 'none'
    const deed = deedOf(event, { hasChoices, isEmpty: text === '', isAbout, enterSends })
    if (!deed) return
    event.preventDefault()
    if (deed === 'choose') onChoose()
    else act(deed, talk, choosing)
  }
  const noteCaret = (): void => {
    choosing.caret.value = field.current?.selectionStart ?? 0
  }
  return (
    <div class="field">
      {hint !== undefined && (
        <span class="field-hint" aria-hidden="true">
          <span class="field-typed">{text}</span>
          <bdi>{hint}</bdi>
        </span>
      )}
      <textarea
        ref={field}
        class="field-text"
        rows={1}
        dir="auto"
        value={text}
        placeholder={composerWords.value.message}
        aria-label={composerWords.value.message}
        autocomplete="off"
        aria-autocomplete="list"
        aria-controls={hasChoices ? LIST_ID : undefined}
        aria-activedescendant={hasChoices ? choiceId(choosing.at.value) : undefined}
        aria-description={hint === undefined ? undefined : composerWords.value.hint(hint)}
        enterkeyhint={enterSends ? 'send' : 'enter'}
        onInput={event => {
          compose.text.value = event.currentTarget.value
          noteCaret()
          choosing.typed()
        }}
        onKeyDown={onKeyDown}
        onKeyUp={noteCaret}
        onClick={noteCaret}
      />
    </div>
  )
}

function act(deed: Exclude<FieldDeed, 'choose'>, talk: Talk, choosing: CompletionChoice): void {
  switch (deed) {
    case 'send':
      return begin(submitField(talk))
    case 'next-choice':
      return choosing.move(1)
    case 'previous-choice':
      return choosing.move(-1)
    case 'close-choices':
      return choosing.close()
    case 'cancel':
      return talk.compose.cancel()
    case 'to-end':
      talk.jump.value = { to: 'end' }
      return
    case 'edit-last': {
      const around = { chat: talk.chat.peek(), me: talk.me, nowMs: Date.now() }
      const last = lastEditable(talk.messages.peek().values(), around)
      if (last) talk.compose.edit(last)
    }
  }
}

/** As high as its text, up to the limit of the style; most browsers do it automatically. */
function grow(field: HTMLTextAreaElement | null): void {
  if (!field || CSS.supports('field-sizing', 'content')) return
  field.style.blockSize = 'auto'
  field.style.blockSize = `${field.scrollHeight}px`
}
