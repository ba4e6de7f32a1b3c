// Something that is on or off.
import type { VNode } from 'preact'
import './switch.css'

type SwitchProps = { label: string; hint?: string; on: boolean; onChange: (on: boolean) => void }

export const Switch = ({ label, hint, on, onChange }: SwitchProps): VNode => (
  <label class="switch">
    <span class="switch-words">
      {label}
      {hint && <span class="switch-hint">{hint}</span>}
    </span>
    <input
      class="switch-input"
      type="checkbox"
      role="switch"
      checked={on}
      onChange={event => onChange(event.currentTarget.checked)}
    />
  </label>
)
