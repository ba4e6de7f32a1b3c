// The operator's queue of updates: a cursor on the journal. What lies below it is confirmed and never shown again.
import type { Journal } from '@postern/core'

/** The name of the cursor, whether updates are read or discarded. */
export const OPERATOR = 'operator'

export class UpdateQueue {
  readonly #journal: Journal
  /** Durable: never ahead of the disk. */
  #confirmed: number

  private constructor(journal: Journal) {
    this.#journal = journal
    this.#confirmed = journal.confirmed(OPERATOR)
  }

  static async open(journal: Journal): Promise<UpdateQueue> {
    // A cursor that stands nowhere holds nothing back: another reader's confirmation would remove what is unread here.
    if (journal.confirmed(OPERATOR) === 0) await journal.confirm(OPERATOR, 0)
    return new UpdateQueue(journal)
  }

  /** Resolves when it is durable. Writes nothing when nothing new is confirmed. */
  async confirmBelow(offset: number): Promise<void> {
    const upTo = Math.min(offset - 1, this.#journal.newest())
    if (upTo <= this.#confirmed) return
    await this.#journal.confirm(OPERATOR, upTo)
    this.#confirmed = Math.max(this.#confirmed, upTo)
  }

  /** The oldest unconfirmed updates, each as its JSON. */
  read(limit: number): string[] {
    if (this.#journal.newest() <= this.#confirmed) return []
    return this.#journal.read(this.#confirmed, limit).map(entry => `{"id":${entry.id},${entry.json.slice(1)}`)
  }

  onAppend(listener: () => void): () => void {
    return this.#journal.onAppend(listener)
  }
}
