// Removes what is past its time, in turns of bounded size, so that no sender waits long behind a sweep.
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { AccountRows } from './account-rows.ts'
import type { ContinuationRows } from './continuation-rows.ts'
import type { Sqlite } from './database.ts'
import type { GroupRows } from './group-rows.ts'
import type { KeyPackageRows } from './key-package-rows.ts'

type Phase = { kind: 'entries' } | { kind: 'mailboxes'; afterAccount: number } | { kind: 'rest' }
type Parts = {
  accounts: AccountRows
  groups: GroupRows
  continuations: ContinuationRows
  keyPackages: KeyPackageRows
  limits: RelayLimits
}

export class SweepRows {
  readonly #parts: Parts
  readonly #sql
  #phase: Phase = { kind: 'entries' }
  /** Mailboxes hold nothing below it. */
  #mailboxFloor = 0

  constructor(db: Sqlite, parts: Parts) {
    this.#parts = parts
    this.#sql = {
      floor: db.prepare<[], number>('SELECT floor FROM retention').pluck(),
      raise: db.prepare('UPDATE retention SET floor = ?'),
      oldest: db.prepare<[number], { pos: number; ts: number }>('SELECT pos, ts FROM entry ORDER BY pos LIMIT ?'),
      dropEntries: db.prepare('DELETE FROM entry WHERE pos < ?'),
      nextAccount: db
        .prepare<[number], number>('SELECT account FROM mailbox WHERE account > ? ORDER BY account LIMIT 1')
        .pluck(),
      dropMail: db.prepare(
        `DELETE FROM mailbox WHERE account = ? AND pos IN
           (SELECT pos FROM mailbox WHERE account = ? AND pos < ? ORDER BY pos LIMIT ?)`,
      ),
    }
  }

  /** What is remembered here may be of a turn that was undone. */
  forget(): void {
    this.#phase = { kind: 'entries' }
    this.#mailboxFloor = 0
  }

  turn(nowMs: number): { removed: number; more: boolean } {
    const phase = this.#phase
    switch (phase.kind) {
      case 'entries':
        return this.#entries(nowMs - this.#parts.limits.keepEntriesMs)
      case 'mailboxes':
        return this.#mailboxes(phase.afterAccount)
      case 'rest':
        return this.#rest(nowMs)
    }
  }

  #entries(beforeMs: number): { removed: number; more: boolean } {
    const rowsMax = this.#parts.limits.sweepRowsPerTurn
    const oldest = this.#sql.oldest.all(rowsMax)
    const firstKept = oldest.findIndex(entry => entry.ts >= beforeMs)
    const removed = firstKept === -1 ? oldest.length : firstKept
    const last = oldest[removed - 1]
    if (last) {
      this.#sql.raise.run(last.pos + 1)
      this.#sql.dropEntries.run(last.pos + 1)
    }
    if (removed < rowsMax) this.#phase = { kind: 'mailboxes', afterAccount: 0 }
    return { removed, more: true }
  }

  #mailboxes(afterAccount: number): { removed: number; more: boolean } {
    const rowsMax = this.#parts.limits.sweepRowsPerTurn
    const floor = this.#sql.floor.get() ?? 0
    let removed = 0
    let account: number | undefined = afterAccount
    for (let seeks = 0; seeks < rowsMax && floor > this.#mailboxFloor; seeks++) {
      account = this.#sql.nextAccount.get(account)
      if (account === undefined) break
      const dropped = this.#sql.dropMail.run(account, account, floor, rowsMax - removed).changes
      removed += dropped
      // Perhaps not all of this account's: the next turn starts with it again.
      if (removed >= rowsMax) return this.#pause(account - 1, removed)
    }
    if (account !== undefined && floor > this.#mailboxFloor) return this.#pause(account, removed)
    this.#mailboxFloor = floor
    this.#phase = { kind: 'rest' }
    return { removed, more: true }
  }

  #pause(afterAccount: number, removed: number): { removed: number; more: boolean } {
    this.#phase = { kind: 'mailboxes', afterAccount }
    return { removed, more: true }
  }

  #rest(nowMs: number): { removed: number; more: boolean } {
    const { limits, accounts, groups, keyPackages, continuations } = this.#parts
    const rowsMax = limits.sweepRowsPerTurn
    const beforeMs = nowMs - limits.keepEntriesMs
    const removed = [
      groups.expire(beforeMs, rowsMax),
      keyPackages.expire(beforeMs, rowsMax),
      continuations.expire(nowMs, rowsMax),
      accounts.expireInvites(nowMs, rowsMax),
    ]
    const more = removed.includes(rowsMax)
    if (!more) this.#phase = { kind: 'entries' }
    return { removed: removed.reduce((sum, count) => sum + count), more }
  }
}
