// Stores the unsent text: soon after the last key, and when the page goes.
import type { Draft } from '../../contract/objects.ts'
import type { ScreenClock } from '../timing.ts'

const SAVED_AFTER_MS = 400

export class DraftKeeper {
  readonly #timing: ScreenClock
  readonly #save: (draft: Draft) => void
  #saved: string
  #unsaved: Draft | undefined
  #stop: (() => void) | undefined

  constructor(timing: ScreenClock, save: (draft: Draft) => void, stored: Draft = { text: '' }) {
    this.#timing = timing
    this.#save = save
    this.#saved = JSON.stringify(stored)
  }

  changed(draft: Draft): void {
    this.#stop?.()
    this.#unsaved = JSON.stringify(draft) === this.#saved ? undefined : draft
    this.#stop = this.#unsaved && this.#timing.after(SAVED_AFTER_MS, () => this.flush())
    // A sent text must not come back as a draft, however soon the page goes.
    if (draft.text === '') this.flush()
  }

  /** Immediately: the page may be gone the next moment. */
  flush(): void {
    this.#stop?.()
    this.#stop = undefined
    const draft = this.#unsaved
    if (!draft) return
    this.#unsaved = undefined
    this.#saved = JSON.stringify(draft)
    this.#save(draft)
  }
}
