// The operator's queue of updates: a cursor on the journal. Updates below it are confirmed and never shown again.
import type { DroppedCounts, Journal } from '@postern/core'

/** The name of the cursor, whether updates are polled, delivered or discarded. */
export const OPERATOR = 'operator'

/** An update: its id, and its JSON. */
export type QueuedUpdate = { id: number; json: string }

export class UpdateQueue {
  readonly #journal: Journal
  /** Never ahead of the database. */
  #confirmed: number
  /** The last delivered update, which is never handed out again; ahead of the database until it is confirmed. */
  #delivered = 0
  /** For the last confirmation of `confirmAll`. */
  #untilDurable: (() => Promise<void>) | undefined

  private constructor(journal: Journal) {
    this.#journal = journal
    this.#confirmed = journal.confirmed(OPERATOR)
  }

  static async open(journal: Journal): Promise<UpdateQueue> {
    // Without a position, the cursor protects nothing: another reader's confirmation would remove updates that are unread here.
    if (journal.confirmed(OPERATOR) === 0) await journal.confirm(OPERATOR, 0)
    return new UpdateQueue(journal)
  }

  /** Resolves when it is durable. Writes nothing when nothing new is confirmed. */
  async confirmBelow(offset: number): Promise<void> {
    const upTo = Math.min(offset - 1, this.#journal.newest())
    if (upTo > this.#confirmed) {
      await this.#journal.confirm(OPERATOR, upTo)
      this.#confirmed = Math.max(this.#confirmed, upTo)
    }
    await this.durable()
  }

  /**
   * For a poll that then waits: the write of the next update includes the confirmation. A poll that is answered before
   * that waits for `durable`. A kill before it shows again only updates whose confirmation nobody received.
   */
  async confirmAll(): Promise<void> {
    await this.skip(this.#journal.newest())
  }

  /** The same up to this id. */
  async skip(upTo: number): Promise<void> {
    if (upTo <= this.#confirmed) return
    this.#untilDurable = await this.#journal.confirmSoon(OPERATOR, upTo)
    this.#confirmed = Math.max(this.#confirmed, upTo)
  }

  /** Resolves when every confirmation is on the disk. */
  async durable(): Promise<void> {
    const until = this.#untilDurable
    await until?.()
    if (this.#untilDurable === until) this.#untilDurable = undefined
  }

  /** Whether nothing would be left if everything below the offset were confirmed. */
  isEmptyFrom(offset: number): boolean {
    return Math.max(this.place, offset - 1) >= this.#journal.newest()
  }

  noteDelivered(id: number): void {
    this.#delivered = Math.max(this.#delivered, id)
  }

  /**
   * Confirms everything delivered so far. Survives a kill once it resolves, and may be lost with the power: then the
   * receiver sees the last updates again, under their ids.
   */
  async confirmDelivered(): Promise<void> {
    const upTo = this.#delivered
    if (upTo <= this.#confirmed) return
    await this.#journal.confirm(OPERATOR, upTo, 'recorded')
    this.#confirmed = Math.max(this.#confirmed, upTo)
  }

  /** The oldest updates that were neither confirmed nor delivered. */
  read(limit: number): QueuedUpdate[] {
    if (this.#journal.newest() <= this.place) return []
    return this.#journal.read(this.place, limit).map(({ id, json }) => ({ id, json: `{"id":${id},${json.slice(1)}` }))
  }

  /**
   * The same as one JSON array. `offset`: those that would remain if everything below it were confirmed. Undefined when
   * there is none.
   */
  readJson({ offset = 0, limit }: { offset?: number; limit: number }): Uint8Array | undefined {
    const newest = this.#journal.newest()
    const below = Math.max(this.place, Math.min(offset - 1, newest))
    return newest <= below ? undefined : this.#journal.readJson(below, limit)
  }

  /** Number of waiting updates. */
  pending(): number {
    return this.#journal.newest() <= this.place ? 0 : this.#journal.pending(OPERATOR, this.place)
  }

  /** When the oldest waiting update arrived, in elapsed time. */
  oldestTs(): number | undefined {
    return this.#journal.tsBehind(this.place)
  }

  /** Skips updates that are too old or too many, and returns their counts. Writes nothing when there is none. */
  async drop(limits: { olderThanTs: number; keepMax: number }): Promise<DroppedCounts> {
    const isFull = this.#journal.newest() - this.place > limits.keepMax
    const [oldest] = this.#journal.read(this.place, 1)
    if (!oldest || (!isFull && oldest.ts >= limits.olderThanTs)) return { tooOld: 0, tooMany: 0 }
    // First: otherwise delivered updates would count as lost.
    await this.confirmDelivered()
    const dropped = await this.#journal.dropBefore(OPERATOR, limits)
    this.#confirmed = Math.max(this.#confirmed, this.#journal.confirmed(OPERATOR))
    return dropped
  }

  /** Updates up to this id are never handed out again. */
  get place(): number {
    return Math.max(this.#confirmed, this.#delivered)
  }

  onAppend(listener: () => void): () => void {
    return this.#journal.onAppend(listener)
  }
}
