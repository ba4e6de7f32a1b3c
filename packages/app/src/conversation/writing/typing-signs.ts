// Tells the others in the chat that the person is typing: with the first key, and again after some seconds.
import { clientLimits } from '@postern/protocol'
import type { ScreenClock } from '../timing.ts'

export class TypingSigns {
  readonly #timing: ScreenClock
  readonly #tell: () => void
  #text: string
  #toldMs: number | undefined

  /** `text`: a stored draft, which nobody is typing now. */
  constructor(timing: ScreenClock, tell: () => void, text: string) {
    this.#timing = timing
    this.#tell = tell
    this.#text = text
  }

  changed(text: string): void {
    if (text === this.#text) return
    this.#text = text
    // Sent or emptied: the next key begins a new message.
    if (text === '') this.#toldMs = undefined
    else this.#tellInTime()
  }

  #tellInTime(): void {
    const nowMs = this.#timing.nowMs()
    if (this.#toldMs !== undefined && nowMs - this.#toldMs < clientLimits.typingSentEveryMs) return
    this.#toldMs = nowMs
    this.#tell()
  }
}
