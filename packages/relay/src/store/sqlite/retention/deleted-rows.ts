// Removes the data of deleted accounts, in turns of bounded size. A tombstone stays.
import { type AccountId, DAY_MS, type GroupId } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Sqlite } from '../database.ts'
import type { GroupRows } from '../groups/group-rows.ts'

type Parts = { accounts: AccountRows; groups: GroupRows; limits: RelayLimits }

export class DeletedRows {
  readonly #parts: Parts
  readonly #sql

  constructor(db: Sqlite, parts: Parts) {
    this.#parts = parts
    this.#sql = {
      bury: db.prepare(
        `UPDATE account SET deleted_ms = ?, banned_ms = ?, account_key = x'', created_ms = 0, cursor = 0, mark = 0, serial = 0,
           seen_day = 0, people_day = 0, people_count = 0, blob_day = 0, blob_count = 0, blob_bytes = 0, bytes_day = 0,
           bytes_used = 0 WHERE num = ?`,
      ),
      recent: db.prepare<[number], number>('SELECT num FROM account WHERE deleted_ms >= ? ORDER BY deleted_ms').pluck(),
      groups: db
        .prepare<[number, number], GroupId>(
          `SELECT chat_group.id FROM member JOIN chat_group ON chat_group.num = member.chat_group
           WHERE account = ? AND has_left = 0 LIMIT 0 + ?`,
        )
        .pluck(),
      /** The next sweep of blobs removes their bytes. */
      expireBlobs: db.prepare(
        `UPDATE blob SET begun_ms = 0, done_ms = CASE WHEN done_ms IS NULL THEN NULL ELSE 0 END
         WHERE owner = ? AND (begun_ms > 0 OR done_ms > 0)`,
      ),
      mailbox: db.prepare(
        `DELETE FROM mailbox WHERE account = @num
         AND pos IN (SELECT pos FROM mailbox WHERE account = @num ORDER BY pos LIMIT 0 + @countMax)`,
      ),
      contacts: db.prepare(
        `DELETE FROM contact WHERE (account, peer) IN
           (SELECT account, peer FROM contact WHERE account = @num UNION ALL
            SELECT account, peer FROM contact WHERE peer = @num LIMIT 0 + @countMax)`,
      ),
      whole: [
        db.prepare('DELETE FROM profile WHERE account = ?'),
        db.prepare('DELETE FROM key_package WHERE account = ?'),
        db.prepare('DELETE FROM last_resort WHERE account = ?'),
        db.prepare('DELETE FROM push_subscription WHERE account = ?'),
      ],
      continuations: db.prepare('DELETE FROM continuation WHERE creator = ?'),
    }
  }

  /** From here on nobody finds the account. Nobody else can have its id, which is a hash of its key. */
  bury(account: AccountId, nowMs: number): void {
    this.#sql.bury.run(nowMs, nowMs, this.#parts.accounts.numberOf(account))
    this.#parts.accounts.forget()
  }

  /** Covers all recently deleted accounts: entries in flight may have arrived after the deletion. */
  purge(nowMs: number): { removed: number; more: boolean } {
    const { limits } = this.#parts
    let removed = 0
    for (const num of this.#sql.recent.all(nowMs - limits.keepEntriesMs - DAY_MS)) {
      const left = limits.sweepRowsPerTurn - removed
      if (left <= 0) return { removed, more: true }
      removed += this.#purgeOne(num, { rowsMax: left, nowMs })
    }
    return { removed, more: removed >= limits.sweepRowsPerTurn }
  }

  #purgeOne(num: number, { rowsMax, nowMs }: { rowsMax: number; nowMs: number }): number {
    let removed = this.#sql.expireBlobs.run(num).changes + this.#sql.continuations.run(num).changes
    for (const table of this.#sql.whole) removed += table.run(num).changes
    for (const id of this.#sql.groups.all(num, rowsMax)) {
      this.#leave(id, num, nowMs)
      removed += 1
    }
    for (const some of [this.#sql.contacts, this.#sql.mailbox]) removed += some.run({ num, countMax: rowsMax }).changes
    return removed
  }

  #leave(id: GroupId, num: number, nowMs: number): void {
    const { groups } = this.#parts
    const group = groups.find(id)
    if (!group) return
    groups.leave(group, num, nowMs)
    groups.membersChanged(group)
  }
}
