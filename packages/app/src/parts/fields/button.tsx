// A button with words. While its action is running it spins and ignores further presses; a fault is shown as a toast.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { attempt } from '../attempt.ts'
import './button.css'
import { Icon, type IconName } from '../icons/icon.tsx'
import { Spinner } from '../spinner.tsx'
import { partsWords } from '../words.ts'

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

type ButtonProps = {
  kind?: ButtonKind
  icon?: IconName
  type?: 'button' | 'submit'
  disabled?: boolean | undefined
  busy?: boolean | undefined
  autofocus?: boolean
  /** The text while it is busy, for an action that takes long. */
  whileBusy?: string | undefined
  /** A promise makes it busy until it is settled. */
  onClick?: () => undefined | Promise<unknown> | void
  children: ComponentChildren
}

export function Button({
  kind = 'primary',
  icon,
  type = 'button',
  disabled,
  busy,
  autofocus,
  ...rest
}: ButtonProps): VNode {
  const element = useRef<HTMLButtonElement>(null)
  const underWay = useSignal(false)
  const isBusy = underWay.value || busy === true
  const press = async (): Promise<void> => {
    const begun = rest.onClick?.()
    if (!begun) return
    underWay.value = true
    await attempt(begun)
    underWay.value = false
  }
  useLayoutEffect(() => {
    // Browsers respect `autofocus` in a dialog, and otherwise only on the first screen of a page.
    if (autofocus && document.activeElement === document.body) element.current?.focus({ preventScroll: true })
  }, [])
  return (
    <button
      ref={element}
      class={`button button-${kind}`}
      type={type}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      autofocus={autofocus ?? false}
      onClick={() => void press()}
    >
      {isBusy ? <Spinner /> : icon && <Icon name={icon} />}
      <span>{(isBusy && rest.whileBusy) || rest.children}</span>
      {isBusy && !rest.whileBusy && <span class="unseen">{partsWords.value.busy}</span>}
    </button>
  )
}

/** Two next to each other: the harmless one first, so that it gets the focus. */
export const ButtonPair = ({ children }: { children: ComponentChildren }): VNode => (
  <div class="button-pair">{children}</div>
)
