// A row with an icon, a title and a sentence: a choice, or information.
import type { ComponentChildren, VNode } from 'preact'
import { Icon, type IconName } from '../icons/icon.tsx'
import './option.css'

type OptionProps = {
  icon?: IconName
  /** In place of the icon. */
  face?: ComponentChildren
  title: string
  text?: string | undefined
  /** Its state, in a word. */
  aside?: string | undefined
  /** The state needs attention. */
  warns?: boolean
  danger?: boolean
  /** `next`: it leads to another screen. */
  leads?: 'next'
  disabled?: boolean
  /** Without it the row is information only. */
  onClick?: () => void
}

export function Option({ danger, disabled, onClick, ...shown }: OptionProps): VNode {
  const name = `option ${danger ? 'option-danger' : ''} ${shown.text ? '' : 'option-bare'}`
  return onClick ? (
    <button class={name} type="button" disabled={disabled ?? false} onClick={onClick}>
      <Inside {...shown} />
    </button>
  ) : (
    <div class={name}>
      <Inside {...shown} />
    </div>
  )
}

const Inside = ({ icon, face, title, text, aside, warns, leads }: OptionProps): VNode => (
  <>
    {face}
    {icon && (
      <span class="option-icon">
        <Icon name={icon} />
      </span>
    )}
    <span class="option-words">
      <span class="option-head">
        <span class="option-title" dir="auto">
          {title}
        </span>
        {aside && <span class={warns ? 'option-aside option-warns' : 'option-aside'}>{aside}</span>}
      </span>
      {text && (
        <span class="option-text" dir="auto">
          {text}
        </span>
      )}
    </span>
    {leads && (
      <span class="option-next">
        <Icon name="chevron-right" size={18} />
      </span>
    )}
  </>
)

export const OptionGroup = ({ children }: { children: ComponentChildren }): VNode => (
  <div class="option-group">{children}</div>
)
