// Announcements for screen readers only: one polite region for the whole app.
import { signal } from '@preact/signals'
import type { VNode } from 'preact'

const said = signal<{ text: string; turn: number }>({ text: '', turn: 0 })

export function say(text: string): void {
  said.value = { text, turn: said.value.turn + 1 }
}

/** Once, at the root of the app. A repeated text is another element: otherwise nothing would have changed. */
export const LiveRegion = (): VNode => (
  <div class="unseen" role="status" aria-live="polite">
    <span key={said.value.turn} dir="auto">
      {said.value.text}
    </span>
  </div>
)
