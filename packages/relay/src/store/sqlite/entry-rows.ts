// The log: every payload once.
import {
  ACCOUNT_ID_BYTES,
  type AccountId,
  backupLimits,
  bytesOf,
  fromBase32,
  type MessageId,
  toBase32,
} from '@postern/protocol'
import type { Accepted, Entry } from '@postern/protocol/relay'
import type { Sqlite } from './database.ts'
import type { HeldGroup } from './group-rows.ts'
import type { RecentEntries } from './recent-entries.ts'

type Kind = Entry['kind']

/** As stored: never renumber. */
const kindNumbers: Record<Kind, number> = { message: 1, commit: 2, welcome: 3, direct: 4, leave: 5 }
const kindNames = new Map(Object.entries(kindNumbers).map(([name, number]) => [number, name as Kind]))

export type NewEntry = {
  kind: Kind
  sender: { num: number; id: AccountId }
  ts: number
  message: MessageId | undefined
  payload: Uint8Array
  added?: AccountId[]
  removed?: AccountId[]
}
const NOBODY: AccountId[] = []

type KnownRow = { seq: number; ts: number; sender: number; kind: number }

/** The next entry stands far behind all that were ever given out. */
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

  /** The entry's position, or undefined when its message is in the log already. Does not advance the group. */
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

  known(message: MessageId): (Accepted & { sender: number; kind: Kind }) | undefined {
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

export function kindOf(number: number): Kind {
  const kind = kindNames.get(number)
  if (!kind) throw new TypeError(`an entry of unknown kind ${number} is in the database`)
  return kind
}

const joined = (accounts: readonly AccountId[]): Uint8Array | null =>
  accounts.length === 0 ? null : Buffer.concat(accounts.map(bytesOf))

/** The accounts of a list as it is stored. */
export function accountsIn(stored: Uint8Array | null): AccountId[] {
  if (!stored) return []
  const at = (index: number) => stored.subarray(index * ACCOUNT_ID_BYTES, (index + 1) * ACCOUNT_ID_BYTES)
  return Array.from({ length: stored.length / ACCOUNT_ID_BYTES }, (_, index) => toBase32(at(index)) as AccountId)
}
