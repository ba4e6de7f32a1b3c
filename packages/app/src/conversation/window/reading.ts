// Decides which messages count as read: those that were visible for half a second.
import type { ScreenClock } from '../timing.ts'

const READ_AFTER_MS = 500

export type SeenRow = { id: string; ts: number }

export class ReadMarks {
  readonly #timing: ScreenClock
  readonly #mark: (upTo: string) => void
  #since = new Map<string, SeenRow & { sinceMs: number }>()
  #markedTs = 0
  #stop: (() => void) | undefined

  constructor(timing: ScreenClock, mark: (upTo: string) => void) {
    this.#timing = timing
    this.#mark = mark
  }

  /** Reports all visible unread rows: none while nobody looks at the page. */
  see(rows: readonly SeenRow[]): void {
    const nowMs = this.#timing.nowMs()
    const seen = rows.filter(row => row.ts > this.#markedTs)
    this.#since = new Map(seen.map(row => [row.id, { ...row, sinceMs: this.#since.get(row.id)?.sinceMs ?? nowMs }]))
    this.#plan()
  }

  stop(): void {
    this.#since.clear()
    this.#plan()
  }

  /** Until the one that was visible longest is due. */
  #plan(): void {
    this.#stop?.()
    this.#stop = undefined
    const due = [...this.#since.values()].map(row => row.sinceMs + READ_AFTER_MS)
    if (due.length === 0) return
    const waitMs = Math.max(0, Math.min(...due) - this.#timing.nowMs())
    this.#stop = this.#timing.after(waitMs, () => this.#settle())
  }

  #settle(): void {
    const nowMs = this.#timing.nowMs()
    const read = [...this.#since.values()]
      .filter(row => nowMs - row.sinceMs >= READ_AFTER_MS)
      .toSorted((one, other) => one.ts - other.ts)
      .at(-1)
    if (read) {
      this.#markedTs = read.ts
      this.#mark(read.id)
    }
    this.see([...this.#since.values()])
  }
}
