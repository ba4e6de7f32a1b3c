// The log: stores every payload once.
import { type AccountId, backupLimits, fromBase32, type MessageId } from '@postern/protocol'
import type { AcceptedEntry, MailboxEntry } from '@postern/protocol/relay'
import { joined, kindNumbers, kindOf } from '../../stored-entry.ts'
import type { Sqlite } from '../database.ts'
import type { HeldGroup } from '../groups/group-rows.ts'
import type { RecentEntries } from './recent-entries.ts'

type StoredKind = MailboxEntry['kind']

export type NewEntry = {
  kind: StoredKind
  sender: { num: number; id: AccountId }
  ts: number
  message: MessageId | undefined
  payload: Uint8Array
  added?: AccountId[]
  removed?: AccountId[]
}
const NOBODY: AccountId[] = []

type KnownRow = { seq: number; ts: number; sender: number; kind: number }

/** Moves the next position far above all that were ever assigned. */
export function skipPositions(db: Sqlite): void {
  const by = backupLimits.positionsSkipped
  const { changes } = db.prepare("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'entry'").run(by)
  if (changes === 0) db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('entry', ?)").run(by)
}

export class EntryRows {
  readonly #recent: RecentEntries
  readonly #sql

  constructor(db: Sqlite, recent: RecentEntries) {
    this.#recent = recent
    this.#sql = {
      insert: db.prepare(
        `INSERT INTO entry (chat_group, seq, kind, sender, ts, message, payload) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (message) WHERE message IS NOT NULL DO NOTHING`,
      ),
      name: db.prepare('UPDATE entry SET added = ?, removed = ? WHERE pos = ?'),
      known: db.prepare<[Uint8Array], KnownRow>('SELECT seq, ts, sender, kind FROM entry WHERE message = ?'),
      oldest: db.prepare<[number], { pos: number; ts: number }>('SELECT pos, ts FROM entry ORDER BY pos LIMIT 0 + ?'),
      dropBelow: db.prepare('DELETE FROM entry WHERE pos < ?'),
    }
  }

  /** Returns the entry's position, or undefined if its message is already in the log. Does not advance the group. */
  insert(group: HeldGroup, entry: NewEntry): number | undefined {
    const message = entry.message === undefined ? null : fromBase32(entry.message)
    const kind = kindNumbers[entry.kind]
    const { seq } = group
    const { sender, ts, payload } = entry
    const { added = NOBODY, removed = NOBODY } = entry
    const done = this.#sql.insert.run(group.num, seq, kind, sender.num, ts, message, payload)
    if (done.changes !== 1) return undefined
    const cursor = Number(done.lastInsertRowid)
    if (added.length + removed.length > 0) this.#sql.name.run(joined(added), joined(removed), cursor)
    this.#recent.add({ cursor, group: group.id, seq, kind: entry.kind, sender: sender.id, ts, payload, added, removed })
    return cursor
  }

  known(message: MessageId): (AcceptedEntry & { sender: number; kind: StoredKind }) | undefined {
    const row = this.#sql.known.get(fromBase32(message) ?? new Uint8Array())
    if (!row) return undefined
    return { message, seq: row.seq, ts: row.ts, duplicate: true, sender: row.sender, kind: kindOf(row.kind) }
  }

  /** Oldest first. */
  oldest(countMax: number): { pos: number; ts: number }[] {
    return this.#sql.oldest.all(countMax)
  }

  dropBelow(pos: number): void {
    this.#sql.dropBelow.run(pos)
  }

  committed(): void {
    this.#recent.committed()
  }

  forget(): void {
    this.#recent.forget()
  }
}
