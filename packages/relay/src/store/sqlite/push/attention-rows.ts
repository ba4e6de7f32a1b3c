// Entries for somebody's attention: only these are pushed.
import type { AttentionMark } from '../../push-store.ts'
import type { Sqlite } from '../database.ts'

type Marked = AttentionMark & { pos: number; ts: number }

export class AttentionRows {
  readonly #sql
  /** Groups with such entries, in this transaction and in those committed since the last call. */
  readonly #groups = new Set<number>()
  readonly #committed: number[] = []

  constructor(db: Sqlite) {
    this.#sql = {
      add: db.prepare('INSERT INTO attention (pos, ts, is_mention, preview) VALUES (?, ?, ?, ?)'),
      preview: db.prepare<[number], Uint8Array | null>('SELECT preview FROM attention WHERE pos = ?').pluck(),
      oldest: db.prepare<[number], { pos: number; ts: number }>(
        'SELECT pos, ts FROM attention ORDER BY pos LIMIT 0 + ?',
      ),
      dropUpTo: db.prepare('DELETE FROM attention WHERE pos <= ?'),
    }
  }

  add(group: number, { pos, ts, kind, preview }: Marked): void {
    this.#sql.add.run(pos, ts, kind === 'mention' ? 1 : 0, preview ?? null)
    this.#groups.add(group)
  }

  committed(): void {
    this.#committed.push(...this.#groups)
    this.#groups.clear()
  }

  rolledBack(): void {
    this.#groups.clear()
  }

  /** Groups with new entries for attention since the last call. */
  drainMarked(): number[] {
    return this.#committed.splice(0)
  }

  previewOf(pos: number): Uint8Array | undefined {
    return this.#sql.preview.get(pos) ?? undefined
  }

  /** Returns how many it removed. */
  expire(beforeMs: number, countMax: number): number {
    const oldest = this.#sql.oldest.all(countMax)
    const firstKept = oldest.findIndex(({ ts }) => ts >= beforeMs)
    const last = oldest[(firstKept === -1 ? oldest.length : firstKept) - 1]
    return last === undefined ? 0 : this.#sql.dropUpTo.run(last.pos).changes
  }
}
