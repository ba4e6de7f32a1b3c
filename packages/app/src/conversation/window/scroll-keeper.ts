// Keeps the visible rows in place while rows come, go and change their height around them.
import type { WindowSight } from './window-state.ts'

/** This near to the end counts as being there: a fraction of a pixel is lost at some zooms. */
const END_WITHIN_PX = 24

type Box = { top: number; bottom: number }
type RowInSight = { at: number; id: string; box: Box }

/** A scrolling list, with rows that have an id; their positions are relative to the screen. */
export type ScrolledList = {
  scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
  box(): Box
  rows(): { id: string; box(): Box; show(block: 'center' | 'start'): void }[]
}

export class ScrollKeeper {
  readonly #list: ScrolledList
  /** The visible rows at the last measurement, and the scroll position then. */
  #noted: { seen: RowInSight[]; scrollTop: number } = { seen: [], scrollTop: 0 }
  /** The position to which this code last scrolled. */
  #setTop = -1
  /** Whether new rows are followed: set by scrolling alone, because a row that grew must not end it. */
  follows = true

  constructor(list: ScrolledList) {
    this.#list = list
  }

  /** By a person, and not by this code: the event of its own scrolling may come when rows have grown since. */
  isMovedByHand(): boolean {
    return Math.abs(this.#list.scrollTop - this.#setTop) >= 1
  }

  isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#list
    return scrollHeight - scrollTop - clientHeight < END_WITHIN_PX
  }

  /**
   * Records the positions of the visible rows. Not needed at the end: a list that follows the end is scrolled there
   * again.
   */
  note(): void {
    this.#noted = { seen: this.follows ? [] : this.#seen(), scrollTop: this.#list.scrollTop }
  }

  /** Before rows change: the event of a scrolling may come after them. */
  noteScrolled(): void {
    if (!this.follows && this.#list.scrollTop !== this.#noted.scrollTop) this.note()
  }

  restore(): void {
    if (this.follows) return this.toEnd()
    const scrolledPx = this.#scrolledPx()
    // The first of them may be deleted: then the next one is kept in its place.
    for (const { id, box } of this.#inOrderOfRest()) {
      const row = this.#row(id)
      if (!row) continue
      const movedPx = row.box().top - (box.top - scrolledPx)
      if (movedPx !== 0) this.#scrollTo(this.#list.scrollTop + movedPx)
      return
    }
  }

  /**
   * Scrolled by hand since the measurement. A list that has become too short for its position moves automatically,
   * which does not count.
   */
  #scrolledPx(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.#list
    const px = scrollTop - this.#noted.scrollTop
    return px < 0 && scrollHeight - clientHeight - scrollTop < 1 ? 0 : px
  }

  /** A row that is cut off above may grow there: the eye rests on the first whole one. */
  #inOrderOfRest(): RowInSight[] {
    const { top } = this.#list.box()
    const { seen } = this.#noted
    return [...seen.filter(({ box }) => box.top >= top), ...seen.filter(({ box }) => box.top < top)]
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
    const rows = () => {
      const seen = this.#seen()
      return { first: seen[0]?.at ?? 0, last: seen.at(-1)?.at ?? 0 }
    }
    // A list that follows the end counts as being there, also before a new row was scrolled into view.
    return { isAtEnd: this.follows || this.isAtEnd(), rows }
  }

  /** Ids of the rows whose end is visible, or which fill the whole view. */
  wholeRows(): string[] {
    const { top, bottom } = this.#list.box()
    return this.#seen()
      .filter(({ box }) => box.bottom <= bottom + 1 || box.top <= top)
      .map(({ id }) => id)
  }

  /** Rows are below each other, so that the first is found without measuring all of them. */
  #seen(): RowInSight[] {
    const { top, bottom } = this.#list.box()
    const rows = this.#list.rows()
    const seen: RowInSight[] = []
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

/** The index of the first for which it holds, if it holds for all later ones. */
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
