// A button without words: the label describes it for everybody else.
import type { VNode } from 'preact'
import './icon-button.css'
import { Icon, type IconName } from './icon.tsx'

type IconButtonProps = {
  icon: IconName
  label: string
  size?: number
  disabled?: boolean | undefined
  /** For a toggle button. */
  pressed?: boolean | undefined
  /** For a button that opens a menu or a panel: whether that is open. */
  expanded?: boolean | undefined
  /** Receives the button, for a menu to open next to it. */
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
