// A button without words on it: the label says to everybody else what it does.
import type { VNode } from 'preact'
import './icon-button.css'
import { Icon, type IconName } from './icon.tsx'

type IconButtonProps = {
  icon: IconName
  label: string
  size?: number
  disabled?: boolean | undefined
  /** For one that stays pressed. */
  pressed?: boolean | undefined
  /** For one that opens a menu or a panel: whether that is open. */
  expanded?: boolean | undefined
  /** Gets the button, for a menu to stand beside. */
  onClick: (button: HTMLButtonElement) => void
}

export const IconButton = ({
  icon,
  label,
  size = 20,
  disabled,
  pressed,
  expanded,
  onClick,
}: IconButtonProps): VNode => (
  <button
    class="icon-button"
    type="button"
    title={label}
    aria-label={label}
    aria-pressed={pressed}
    aria-expanded={expanded}
    disabled={disabled ?? false}
    onClick={event => onClick(event.currentTarget)}
  >
    <Icon name={icon} size={size} />
  </button>
)
