// How many messages the title and the badge count.
import type { ChatLine } from '../contract/objects.ts'
import type { ScreenClock } from '../conversation/timing.ts'

/** Longer than a message is unread in a visible chat: the title would flicker with each of them. */
const REST_MS = 700

/**
 * Muted and archived chats count nothing: that was the person's choice. A request counts as one, however much a
 * stranger writes.
 */
export function unreadOf(chats: readonly Pick<ChatLine, 'unread' | 'muted' | 'archived' | 'state'>[]): number {
  return chats
    .filter(({ muted, archived }) => !muted && !archived)
    .reduce((sum, { unread, state }) => sum + (state === 'request' ? Math.min(unread, 1) : unread), 0)
}

/** Shows a number once it is stable. */
export class RestingCount {
  readonly #timing: ScreenClock
  readonly #show: (count: number) => void
  #shown = 0
  #noted = 0
  #stop: (() => void) | undefined

  constructor(timing: ScreenClock, show: (count: number) => void) {
    this.#timing = timing
    this.#show = show
  }

  note(count: number): void {
    if (count === this.#noted) return
    this.#noted = count
    this.#stop?.()
    this.#stop = this.#timing.after(REST_MS, () => {
      if (count !== this.#shown) this.#show(count)
      this.#shown = count
    })
  }
}
