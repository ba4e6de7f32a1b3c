// A search while somebody types: it starts when the typing pauses, and only the newest answer is shown.
import { signal } from '@preact/signals'
import type { Message } from '../../contract/objects.ts'
import { begin } from '../../parts/attempt.ts'
import type { ScreenClock } from '../timing.ts'

const ASKED_AFTER_MS = 200
export const RESULTS_PAGE = 40

export type FoundInChat = { text: string; messages: Message[]; hasMore: boolean }

/** Undefined when it failed: earlier results stay. */
type Find = (text: string, beforeTs: number | undefined) => Promise<Message[] | undefined>

export class SearchRun {
  readonly found = signal<FoundInChat | undefined>(undefined)
  readonly #timing: ScreenClock
  readonly #ask: Find
  #stop: (() => void) | undefined
  #turn = 0

  constructor(timing: ScreenClock, ask: Find) {
    this.#timing = timing
    this.#ask = ask
  }

  type(typed: string): void {
    const text = typed.trim()
    this.#stop?.()
    const turn = ++this.#turn
    if (text === '') this.found.value = undefined
    else this.#stop = this.#timing.after(ASKED_AFTER_MS, () => begin(this.#run({ turn, text, before: [] })))
  }

  /** Older ones than those shown. */
  more(): Promise<void> {
    const found = this.found.value
    return found ? this.#run({ turn: this.#turn, text: found.text, before: found.messages }) : Promise.resolve()
  }

  stop(): void {
    this.#stop?.()
    this.#turn++
  }

  async #run({ turn, text, before }: { turn: number; text: string; before: Message[] }): Promise<void> {
    const messages = await this.#ask(text, before.at(-1)?.ts)
    // The person has typed more: an answer to half a word must not replace that to the whole.
    if (turn !== this.#turn || !messages) return
    this.found.value = { text, messages: [...before, ...messages], hasMore: messages.length === RESULTS_PAGE }
  }
}
