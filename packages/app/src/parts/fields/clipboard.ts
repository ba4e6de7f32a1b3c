// Copies a text, and confirms that with a message.
import { showToast } from '../toasts/toast-list.ts'
import { partsWords } from '../words.ts'

export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  showToast({ kind: 'note', text: partsWords.value.copied })
}
