// A sender that never pauses, and retries until each message is accepted: as a client does when its relay is unavailable.
import type { Append, RelayStore } from '@postern/relay/store'
import { sharedNowMs } from '../processes/shared-clock.ts'
import { newAppend, type Talk } from './talks.ts'
import { appendUntilAccepted } from './until-accepted.ts'

/** The acknowledged messages by group; the longest time without one. */
export type Spoken = { acknowledged: Record<string, number[]>; longestPauseMs: number }

export class Speaker {
  readonly #store: RelayStore
  readonly #fenceOf: (talk: Talk) => Append['fence']
  #speaking: Promise<unknown> = Promise.resolve()
  #isOver = false
  #lastMs = 0
  readonly #spoken: Spoken = { acknowledged: {}, longestPauseMs: 0 }

  constructor(store: RelayStore, fenceOf: (talk: Talk) => Append['fence']) {
    this.#store = store
    this.#fenceOf = fenceOf
  }

  begin(talks: readonly Talk[]): void {
    this.#lastMs = sharedNowMs()
    this.#speaking = Promise.all(talks.map(talk => this.#speak(talk)))
  }

  longestPauseMs(): number {
    return this.#spoken.longestPauseMs
  }

  async end(): Promise<Spoken> {
    this.#isOver = true
    await this.#speaking
    return this.#spoken
  }

  async #speak(talk: Talk): Promise<void> {
    while (!this.#isOver) {
      const seq = await appendUntilAccepted(this.#store, { ...newAppend(talk), fence: this.#fenceOf(talk) })
      ;(this.#spoken.acknowledged[talk.group] ??= []).push(seq)
      const nowMs = sharedNowMs()
      this.#spoken.longestPauseMs = Math.max(this.#spoken.longestPauseMs, nowMs - this.#lastMs)
      this.#lastMs = nowMs
    }
  }
}
