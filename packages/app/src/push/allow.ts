// Asks for the browser's permission. The browser shows its question only on behalf of a click.
import { showToast } from '../parts/toasts/toast-list.ts'
import { notePermission } from './follow-push.ts'
import { pushWords } from './words.ts'

export async function allowNotifications(): Promise<void> {
  const permission = await Notification.requestPermission()
  notePermission()
  if (permission === 'denied') showToast({ kind: 'error', text: pushWords.value.deniedToast })
}
