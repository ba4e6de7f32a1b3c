// Who may be added without counting as a new person, and how many new people an account has met today.
import { CodedError } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Sqlite } from './database.ts'

const DAY_MS = 86_400_000

export class ContactRows {
  readonly #limits: RelayLimits
  readonly #sql

  constructor(db: Sqlite, limits: RelayLimits) {
    this.#limits = limits
    this.#sql = {
      known: db.prepare<[number, number], 1>('SELECT 1 FROM contact WHERE account = ? AND peer = ?').pluck(),
      note: db.prepare('INSERT INTO contact (account, peer) VALUES (?, ?) ON CONFLICT DO NOTHING'),
      noteMembers: db.prepare(
        `INSERT INTO contact (account, peer)
         SELECT account, ? FROM member WHERE chat_group = ? AND has_left = 0 AND account <> ?
         ON CONFLICT DO NOTHING`,
      ),
      met: db.prepare<[number], { day: number; count: number }>(
        'SELECT people_day AS day, people_count AS count FROM account WHERE num = ?',
      ),
      meet: db.prepare('UPDATE account SET people_day = ?, people_count = ? WHERE num = ?'),
    }
  }

  /** The peer wrote to the account, or added it. */
  note(account: number, peer: number): void {
    this.#sql.note.run(account, peer)
  }

  /** The sender wrote to every other member. */
  noteMembers(sender: number, group: number): void {
    this.#sql.noteMembers.run(sender, group, sender)
  }

  /** Whom of `people` the account does not know; throws when they are too many for today. Writes nothing. */
  strangers(account: number, people: readonly number[], nowMs: number): number[] {
    const unknown = people.filter(peer => this.#sql.known.get(account, peer) === undefined)
    const limit = this.#limits.newPeoplePerDay
    if (unknown.length > 0 && this.#metToday(account, nowMs) + unknown.length > limit) {
      const retryAtMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS
      throw new CodedError('new-people-limit', { limit, retryAtMs })
    }
    return unknown
  }

  /** Counts them: from now on the account knows them. */
  meet(account: number, strangers: readonly number[], nowMs: number): void {
    if (strangers.length === 0) return
    const met = this.#metToday(account, nowMs) + strangers.length
    this.#sql.meet.run(Math.floor(nowMs / DAY_MS), met, account)
    for (const stranger of strangers) this.#sql.note.run(account, stranger)
  }

  #metToday(account: number, nowMs: number): number {
    const met = this.#sql.met.get(account)
    return met?.day === Math.floor(nowMs / DAY_MS) ? met.count : 0
  }
}
