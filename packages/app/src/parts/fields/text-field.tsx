// A field with its label, a hint, and the fault of its content.
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import './text-field.css'

type TextFieldProps = {
  label: string
  value: string
  onInput: (value: string) => void
  hint?: string | undefined
  /** The fault in words; undefined when there is none. */
  fault?: string | undefined
  placeholder?: string
  lines?: 'one' | 'several' | 'secret'
  maxLength?: number
  autofocus?: boolean
  disabled?: boolean
}

export function TextField({ label, value, onInput, hint, fault, lines = 'one', ...rest }: TextFieldProps): VNode {
  const id = useId()
  const noteId = `${id}-note`
  const note = fault ?? hint
  const common = {
    id,
    value,
    dir: 'auto',
    placeholder: rest.placeholder ?? '',
    autofocus: rest.autofocus ?? false,
    // Browsers store form input in a file of their own, which is not encrypted.
    autocomplete: 'off',
    disabled: rest.disabled ?? false,
    'aria-invalid': fault !== undefined,
    ...(rest.maxLength === undefined ? {} : { maxLength: rest.maxLength }),
    ...(note === undefined ? {} : { 'aria-describedby': noteId }),
  } as const
  return (
    <div class="text-field">
      <label class="text-field-label" for={id}>
        {label}
      </label>
      {lines !== 'several' ? (
        <input
          {...common}
          {...(lines === 'secret' ? { type: 'password' as const } : { type: 'text' as const })}
          class="text-field-input"
          onInput={event => onInput(event.currentTarget.value)}
        />
      ) : (
        <textarea
          {...common}
          class="text-field-input text-field-area"
          onInput={event => onInput(event.currentTarget.value)}
        />
      )}
      {note !== undefined && (
        <span class={fault === undefined ? 'text-field-hint' : 'text-field-fault'} id={noteId} role="status">
          {note}
        </span>
      )}
    </div>
  )
}
