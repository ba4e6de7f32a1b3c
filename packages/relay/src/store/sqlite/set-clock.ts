// The relay's clock was set while it ran: what it has stamped before is not older by that than it is.
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Sqlite } from './database.ts'

type Row = { byMs: number; untilMs: number }

export class SetClock {
  readonly #limits: RelayLimits
  readonly #sql

  constructor(db: Sqlite, limits: RelayLimits) {
    this.#limits = limits
    this.#sql = {
      row: db.prepare<[], Row>('SELECT set_by_ms AS byMs, set_until_ms AS untilMs FROM retention'),
      note: db.prepare('UPDATE retention SET set_by_ms = ?, set_until_ms = ?'),
    }
  }

  /**
   * The time by which ages are told. Until all is gone that was stamped before, that is the clock less what it was set
   * forward: some is kept for longer than it must be, and nothing for less.
   */
  agesAt(nowMs: number): number {
    const { byMs, untilMs } = this.#row()
    return nowMs < untilMs ? nowMs - byMs : nowMs
  }

  note({ byMs, nowMs }: { byMs: number; nowMs: number }): void {
    const { keepEntriesMs, keepBlobsMs, keepPastMembersMs } = this.#limits
    const { byMs: beforeMs, untilMs } = this.#row()
    const inForceMs = nowMs - byMs < untilMs ? beforeMs : 0
    // Set back, it takes back what it was set forward by mistake.
    const leftMs = Math.max(0, inForceMs + byMs)
    this.#sql.note.run(leftMs, leftMs === 0 ? 0 : nowMs + Math.max(keepEntriesMs, keepBlobsMs, keepPastMembersMs))
  }

  #row(): Row {
    return this.#sql.row.get() ?? { byMs: 0, untilMs: 0 }
  }
}
