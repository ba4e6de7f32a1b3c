// Temporary messages: a bot's answer to a press, an error, "copied".
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { Avatar } from '../avatar/avatar.tsx'
import { shortNameOf } from '../avatar/face.ts'
import { openDialogs } from '../dialog-depth.ts'
import { Icon } from '../icons/icon.tsx'
import { hideToast, type Toast, toastLeftMs, toasts } from './toast-list.ts'
import './toasts.css'
import { partsWords } from '../words.ts'

/** The place of toasts: once, at the root of the app. Above a dialog, the dialog shows them. */
export const Toasts = (): VNode | null => (openDialogs.value === 0 ? <ToastList /> : null)

export const ToastList = (): VNode => (
  <div class="toasts">
    <div class="toasts-kind" role="status">
      {toasts.value
        .filter(({ kind }) => kind !== 'error')
        .map(toast => (
          <ToastRow key={toast.id} toast={toast} />
        ))}
    </div>
    <div class="toasts-kind" role="alert">
      {toasts.value
        .filter(({ kind }) => kind === 'error')
        .map(toast => (
          <ToastRow key={toast.id} toast={toast} />
        ))}
    </div>
  </div>
)

function ToastRow({ toast }: { toast: Toast }): VNode {
  const held = useSignal(false)
  useEffect(() => {
    if (held.value) return
    const timer = setTimeout(() => hideToast(toast.id), toastLeftMs(toast, performance.now()))
    return () => clearTimeout(timer)
  }, [held.value])
  const hold = () => {
    held.value = true
  }
  const release = () => {
    held.value = false
  }
  return (
    <div
      class={`toast ${toast.kind === 'error' ? 'toast-error' : ''}`}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocusIn={hold}
      onFocusOut={release}
    >
      <ToastSign toast={toast} />
      <span class="toast-words" dir="auto">
        {toast.text}
        {toast.kind === 'bot' && (
          <span class="toast-from" dir="auto">
            {partsWords.value.onlyYou(shortNameOf(toast.from.name))}
          </span>
        )}
      </span>
      <ToastEnd toast={toast} />
    </div>
  )
}

function ToastSign({ toast }: { toast: Toast }): VNode {
  if (toast.kind === 'bot') return <Avatar {...toast.from} bot size="xs" />
  return <Icon name={toast.kind === 'error' ? 'circle-alert' : 'info'} />
}

function ToastEnd({ toast }: { toast: Toast }): VNode {
  const action = toast.kind === 'bot' ? undefined : toast.action
  const run = () => {
    hideToast(toast.id)
    action?.run()
  }
  return action ? (
    <button class="toast-action" type="button" onClick={run}>
      {action.word}
    </button>
  ) : (
    <button class="toast-close" type="button" aria-label={partsWords.value.close} onClick={() => hideToast(toast.id)}>
      <Icon name="x" size={16} />
    </button>
  )
}
