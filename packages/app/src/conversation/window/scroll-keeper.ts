// Keeps what is seen where it is while rows come, go and change their height around it.
import type { WindowSight } from './window-state.ts'

/** So near to the end counts as being there: a fraction of a pixel is lost at some zooms. */
const END_WITHIN_PX = 24

type KeptPlace = { id: string; top: number }
type Box = { top: number; bottom: number }

/** A list that scrolls, with rows that have an id; where they stand is told as of the screen. */
export type ScrolledList = {
  scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
  box(): Box
  rows(): { id: string; box(): Box; show(block: 'center' | 'start'): void }[]
}

export class ScrollKeeper {
  readonly #list: ScrolledList
  #noted: KeptPlace[] = []
  /** Where it was scrolled to from here. */
  #setTop = -1
  /** Whether new rows are followed: set by scrolling alone, for a row that grew must not end it. */
  follows = true

  constructor(list: ScrolledList) {
    this.#list = list
  }

  /** By a person, and not from here: the event of one's own scrolling may come when rows have grown since. */
  isMovedByHand(): boolean {
    return Math.abs(this.#list.scrollTop - this.#setTop) >= 1
  }

  isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#list
    return scrollHeight - scrollTop - clientHeight < END_WITHIN_PX
  }

  /** Where all that is seen stands: the first of it may be deleted, then the next one is kept in its place. */
  note(): void {
    const { top } = this.#list.box()
    const seen = this.#seen()
    // A row that is cut off above may grow there: the first whole one is what the eye rests on.
    const whole = seen.filter(({ box }) => box.top >= top)
    const cut = seen.filter(({ box }) => box.top < top)
    this.#noted = [...whole, ...cut].map(({ id, box }) => ({ id, top: box.top }))
  }

  restore(): void {
    if (this.follows) return this.toEnd()
    for (const { id, top } of this.#noted) {
      const row = this.#row(id)
      if (!row) continue
      const movedPx = row.box().top - top
      if (movedPx !== 0) this.#scrollTo(this.#list.scrollTop + movedPx)
      return
    }
  }

  has(id: string): boolean {
    return this.#row(id) !== undefined
  }

  toEnd(): void {
    this.follows = true
    this.#scrollTo(this.#list.scrollHeight)
  }

  /** False when there is no such row. */
  toRow(id: string, block: 'center' | 'start'): boolean {
    const row = this.#row(id)
    if (!row) return false
    this.follows = false
    row.show(block)
    this.#setTop = this.#list.scrollTop
    return true
  }

  /** Indexes among the rows that have an id. */
  sight(): WindowSight {
    const seen = this.#seen()
    return { first: seen[0]?.at ?? 0, last: seen.at(-1)?.at ?? 0, isAtEnd: this.isAtEnd() }
  }

  /** Ids of the rows whose end is seen, or which fill all that is seen. */
  wholeRows(): string[] {
    const { top, bottom } = this.#list.box()
    return this.#seen()
      .filter(({ box }) => box.bottom <= bottom + 1 || box.top <= top)
      .map(({ id }) => id)
  }

  /** Rows stand below each other, so that the first is found without asking all of them where they are. */
  #seen(): { at: number; id: string; box: Box }[] {
    const { top, bottom } = this.#list.box()
    const rows = this.#list.rows()
    const seen: { at: number; id: string; box: Box }[] = []
    for (let at = firstWhere(rows, row => row.box().bottom > top); at < rows.length; at++) {
      const row = rows[at]
      const box = row?.box()
      if (!row || !box || box.top >= bottom) break
      seen.push({ at, id: row.id, box })
    }
    return seen
  }

  #scrollTo(px: number): void {
    this.#list.scrollTop = px
    this.#setTop = this.#list.scrollTop
  }

  #row(id: string): ReturnType<ScrolledList['rows']>[number] | undefined {
    return this.#list.rows().find(row => row.id === id)
  }
}

/** The index of the first for which it holds, when it holds for all behind it. */
function firstWhere<One>(all: readonly One[], holds: (one: One) => boolean): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const one = all[middle]
    if (one !== undefined && holds(one)) high = middle
    else low = middle + 1
  }
  return low
}
