// Which toasts are shown, and until when.
import { signal } from '@preact/signals'
import type { Person } from '../../contract/objects.ts'

export type ToastAction = { word: string; run: () => void }

export type Toast = { id: number; madeMs: number } & ToastContent
export type ToastContent =
  | { kind: 'note'; text: string; action?: ToastAction }
  | { kind: 'error'; text: string; action?: ToastAction }
  /** A bot's answer to a press, for the presser alone. */
  | { kind: 'bot'; text: string; from: Person }

const TOAST_SHOWN_MS = 6_000
/** A toast that was pointed at for long, or moved into a dialog, does not vanish immediately. */
const TOAST_LEFT_MIN_MS = 2_000
/** More of them would cover the screen: the oldest goes. */
const TOASTS_MAX = 4

export const toasts = signal<readonly Toast[]>([])
let lastId = 0

export function showToast(toast: ToastContent): void {
  // A repeated toast would not be read twice.
  const others = toasts.value.filter(({ kind, text }) => kind !== toast.kind || text !== toast.text)
  toasts.value = [...others, { ...toast, id: ++lastId, madeMs: performance.now() }].slice(-TOASTS_MAX)
}

/** How long it is shown from now on. */
export const toastLeftMs = ({ madeMs }: Toast, nowMs: number): number =>
  Math.max(TOAST_LEFT_MIN_MS, madeMs + TOAST_SHOWN_MS - nowMs)

export function hideToast(id: number): void {
  toasts.value = toasts.value.filter(toast => toast.id !== id)
}
