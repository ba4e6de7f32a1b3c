// A question or a small form above the screen. The browser keeps the focus in it, and returns it afterwards.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useId, useLayoutEffect } from 'preact/hooks'
import './dialog.css'
import { openDialogs } from '../dialog-depth.ts'
import { Icon, type IconName } from '../icons/icon.tsx'
import { Menus } from '../menus/menus.tsx'
import { ToastList } from '../toasts/toasts.tsx'
import { useModal } from './modal.ts'

export type DialogTone = 'plain' | 'warn' | 'danger'

type DialogProps = {
  title: string
  /** A sign above the title. */
  icon?: IconName | undefined
  tone?: DialogTone | undefined
  /** Esc, the scrim, the phone's back gesture. */
  onClose: () => void
  children: ComponentChildren
}

export function Dialog({ title, icon, tone = 'plain', onClose, children }: DialogProps): VNode {
  const modal = useModal(onClose)
  const depth = useSignal(0)
  const titleId = useId()
  useLayoutEffect(() => {
    depth.value = ++openDialogs.value
    return () => {
      openDialogs.value--
    }
  }, [])
  return (
    <dialog
      {...modal}
      class="dialog"
      aria-labelledby={titleId}
      onClick={event => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div class="dialog-inside">
        {icon && (
          <span class={`dialog-sign dialog-sign-${tone}`}>
            <Icon name={icon} size={26} />
          </span>
        )}
        <h2 class="dialog-title" id={titleId} dir="auto">
          {title}
        </h2>
        {children}
      </div>
      {depth.value === openDialogs.value && (
        <>
          <Menus />
          <ToastList />
        </>
      )}
    </dialog>
  )
}

/** A sentence in a dialog; line breaks of the text are kept. */
export const DialogText = ({ children }: { children: ComponentChildren }): VNode => (
  <p class="dialog-text">{children}</p>
)
