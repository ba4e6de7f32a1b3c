// Passes pages of the mailbox on in wire order. Pages behind an answer wait for the end of its turn.
import type { Delivery } from '@postern/protocol/relay'

/**
 * The caller writes the data of an answer in the turn in which the answer settles. A page that came with the answer
 * must not be read before that: a reaction would find no message. While one page waits, all later pages wait, too. In a
 * browser each frame and each end of a turn is a separate task, and a later frame would overtake the waiting page.
 */
export class PageLane {
  readonly #afterTurn: (run: () => void) => void
  readonly #hand: (page: Delivery) => void
  #held: Delivery[] | undefined

  constructor(afterTurn: (run: () => void) => void, hand: (page: Delivery) => void) {
    this.#afterTurn = afterTurn
    this.#hand = hand
  }

  waitForAnswered(): void {
    if (this.#held) return
    this.#held = []
    this.#afterTurn(() => this.#release())
  }

  push(page: Delivery): void {
    if (this.#held) this.#held.push(page)
    else this.#hand(page)
  }

  #release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const page of held) this.#hand(page)
  }
}
