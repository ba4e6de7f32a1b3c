// The durable numbered log of what happened. Long polling, webhooks and screens each keep a cursor on it.
import type { Chat, Message, Notice } from '@postern/protocol/objects'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/store.ts'

export type JournalEvent =
  | { type: 'message'; chat_id: string; message: Message }
  | { type: 'chat'; chat_id: string; chat: Chat }
  | { type: 'notice'; chat_id: string; notice: Notice }

export type JournalEntry = { id: number; json: string; ts: number }

export class Journal {
  readonly #store: Store
  readonly #listeners = new Set<() => void>()
  #newest: number

  constructor(store: Store) {
    this.#store = store
    this.#newest = newestId(store)
    store.onCommit(() => this.#tellIfGrown())
  }

  read(after: number, limit: number): JournalEntry[] {
    return this.#store.all<JournalEntry>(
      'SELECT id, json, ts FROM journal WHERE id > ? ORDER BY id LIMIT ?',
      after,
      limit,
    )
  }

  /** The highest id ever given; ids are never used twice. */
  newest(): number {
    return this.#newest
  }

  confirmed(reader: string): number {
    return this.#store.get<{ confirmed: number }>('SELECT confirmed FROM reader WHERE name = ?', reader)?.confirmed ?? 0
  }

  /** Removes what every reader has confirmed. */
  async confirm(reader: string, upTo: number): Promise<void> {
    const wanted = Math.min(upTo, this.#newest)
    await this.#store.write(database => {
      database.run(
        'INSERT INTO reader VALUES (?, ?) ON CONFLICT DO UPDATE SET confirmed = max(confirmed, excluded.confirmed)',
        reader,
        wanted,
      )
      database.run('DELETE FROM journal WHERE id <= (SELECT min(confirmed) FROM reader)')
    })
  }

  /** Called when new entries can be read. */
  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tellIfGrown(): void {
    const newest = newestId(this.#store)
    if (newest === this.#newest) return
    this.#newest = newest
    for (const listener of this.#listeners) listener()
  }
}

const newestId = (store: Pick<Store, 'get'>): number =>
  store.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'journal'")?.seq ?? 0

/** Part of the transaction in which the event happened. */
export function appendEvent(database: Database, event: JournalEvent, ts: number): void {
  const json = JSON.stringify(event)
  database.run('INSERT INTO journal (ts, chat_id, json) VALUES (?, ?, ?)', ts, event.chat_id, json)
}

/** After a restore from a backup: ids that were given out since then are not given out again. */
export function raiseNextId(database: Database, mark: number): void {
  const changed = database.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'journal'", mark).changes
  if (changed === 0) database.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('journal', ?)", mark)
}
