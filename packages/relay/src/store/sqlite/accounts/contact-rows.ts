// Contacts: people who can be added without counting as new, and the number of new people that an account met today.
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { dayOf, newPeopleLeft, newPeopleRefusal, ofToday } from '../../rules/day-limits.ts'
import type { Sqlite } from '../database.ts'
import type { AccountRows } from './account-rows.ts'

export class ContactRows {
  readonly #accounts: AccountRows
  readonly #limits: RelayLimits
  readonly #sql

  constructor(db: Sqlite, { accounts, limits }: { accounts: AccountRows; limits: RelayLimits }) {
    this.#accounts = accounts
    this.#limits = limits
    this.#sql = {
      known: db.prepare<[number, number], 1>('SELECT 1 FROM contact WHERE account = ? AND peer = ?').pluck(),
      note: db.prepare('INSERT INTO contact (account, peer, day) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
      noteMembers: db.prepare(
        `INSERT INTO contact (account, peer, day)
         SELECT account, ?, ? FROM member WHERE chat_group = ? AND has_left = 0 AND account <> ?
         ON CONFLICT DO NOTHING`,
      ),
      expire: db.prepare(
        `DELETE FROM contact WHERE (account, peer) IN
           (SELECT account, peer FROM contact WHERE day < ? ORDER BY day LIMIT 0 + ?)`,
      ),
    }
  }

  /** The peer wrote to the account, or added it. */
  note(account: number, peer: number, nowMs: number): void {
    this.#sql.note.run(account, peer, dayOf(nowMs))
  }

  /** The sender wrote to every other member. */
  noteMembers(sender: number, group: number, nowMs: number): void {
    this.#sql.noteMembers.run(sender, dayOf(nowMs), group, sender)
  }

  /** Deletes old contacts. People who still write to each other are noted again with their next message. */
  expire(beforeMs: number, countMax: number): number {
    return this.#sql.expire.run(dayOf(beforeMs), countMax).changes
  }

  /**
   * Returns those of `people` whom the account does not know;
   * throws if they are too many for today. Writes nothing.
   */
  strangers(account: number, people: readonly number[], nowMs: number): number[] {
    const unknown = people.filter(peer => this.#sql.known.get(account, peer) === undefined)
    if (unknown.length === 0) return unknown
    const day = dayOf(nowMs)
    const counts = { met: this.#metOn(day, account), more: unknown.length }
    const refusal = newPeopleRefusal(this.#limits, counts, day)
    if (refusal) throw refusal
    return unknown
  }

  /** How many more strangers the account may meet today. */
  left(account: number, nowMs: number): number {
    return newPeopleLeft(this.#limits, this.#metOn(dayOf(nowMs), account))
  }

  /** Counts them; from now on the account knows them. */
  meet(account: number, strangers: readonly number[], nowMs: number): void {
    if (strangers.length === 0) return
    const day = dayOf(nowMs)
    this.#accounts.putPeopleMet(account, { day, count: this.#metOn(day, account) + strangers.length })
    for (const stranger of strangers) this.#sql.note.run(account, stranger, day)
  }

  #metOn(day: number, account: number): number {
    return ofToday(this.#accounts.peopleMet(account), day)?.count ?? 0
  }
}
