// One of several.
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import './radio-list.css'

type RadioChoice<Value extends string> = { value: Value; word: string; hint?: string }

type RadioListProps<Value extends string> = {
  legend: string
  choices: readonly RadioChoice<Value>[]
  value: Value
  onChange: (value: Value) => void
}

export function RadioList<Value extends string>({ legend, choices, value, onChange }: RadioListProps<Value>): VNode {
  const name = useId()
  return (
    <fieldset class="radio-list">
      <legend class="radio-list-legend">{legend}</legend>
      {choices.map(choice => (
        <label class="radio-list-row" key={choice.value}>
          <input
            class="radio-list-input"
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>
            {choice.word}
            {choice.hint && <span class="radio-list-hint">{choice.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
