// A button with words. While what it began is not over it spins and takes no second press; a fault is shown as a toast.
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
  /** What it says then, where it takes so long that somebody would wonder. */
  whileBusy?: string
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
    // Browsers heed `autofocus` in a dialog, and else only on the first screen of a page.
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

/** Two beside each other: the harmless one first, so that the focus falls on it. */
export const ButtonPair = ({ children }: { children: ComponentChildren }): VNode => (
  <div class="button-pair">{children}</div>
)
