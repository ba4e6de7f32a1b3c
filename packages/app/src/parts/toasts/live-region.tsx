// What is said to screen readers and to nobody else: one polite region for the whole app.
import { signal } from '@preact/signals'
import type { VNode } from 'preact'

const said = signal<{ text: string; turn: number }>({ text: '', turn: 0 })

export function say(text: string): void {
  said.value = { text, turn: said.value.turn + 1 }
}

/** Once, at the root of the app. The same words said again are another element: else nothing would have changed. */
export const LiveRegion = (): VNode => (
  <div class="unseen" role="status" aria-live="polite">
    <span key={said.value.turn} dir="auto">
      {said.value.text}
    </span>
  </div>
)
