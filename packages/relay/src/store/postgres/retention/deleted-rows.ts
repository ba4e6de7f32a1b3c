// Removes the data of deleted accounts on PostgreSQL, in turns of bounded size. A tombstone stays.
import { type AccountId, DAY_MS, relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { AccountLock } from '../accounts/account-lock.ts'
import type { AccountNumbers } from '../accounts/account-numbers.ts'
import type { Postgres } from '../connection/database.ts'
import type { Hints } from '../connection/hints.ts'

type Parts = { numbers: AccountNumbers; turns: AccountLock; hints: Hints; limits: RelayLimits }

const BURY = `
  UPDATE account SET deleted_ms = $2, banned_ms = $2, account_key = '', created_ms = 0, serial = 0, seen_day = 0,
    people_day = 0, people_count = 0, blob_day = 0, blob_count = 0, blob_bytes = 0 WHERE num = $1`

/** Parameters: the number of the account, and the maximum number of rows. */
const PURGE = [
  'DELETE FROM profile WHERE account = $1 AND $2::integer > 0',
  'DELETE FROM key_package WHERE account = $1 AND $2::integer > 0',
  'DELETE FROM last_resort WHERE account = $1 AND $2::integer > 0',
  'DELETE FROM progress WHERE account = $1 AND $2::integer > 0',
  'DELETE FROM day_bytes WHERE account = $1 AND $2::integer > 0',
  'DELETE FROM device WHERE account = $1 AND $2::integer > 0',
  'DELETE FROM push_subscription WHERE account = $1 AND $2::integer > 0',
  'DELETE FROM continuation WHERE creator = $1 AND $2::integer > 0',
  // The next sweep of blobs removes their bytes.
  `UPDATE blob SET begun_ms = 0, done_ms = CASE WHEN done_ms IS NULL THEN NULL ELSE 0 END
   WHERE owner = $1 AND (begun_ms > 0 OR done_ms > 0) AND $2::integer > 0`,
  `DELETE FROM contact WHERE (account, peer) IN
     (SELECT account, peer FROM contact WHERE account = $1 UNION ALL
      SELECT account, peer FROM contact WHERE peer = $1 LIMIT $2)`,
  `DELETE FROM mailbox WHERE account = $1 AND pos IN (SELECT pos FROM mailbox WHERE account = $1 ORDER BY pos LIMIT $2)`,
]

/** Locks in the order that all lockers of groups use. */
const LOCK_GROUPS = `
  SELECT num, pg_advisory_xact_lock(k) FROM (
    SELECT g.num, hashtextextended(g.id, 2) AS k FROM member m JOIN chat_group g ON g.num = m.chat_group
    WHERE m.account = $1 AND m.until IS NULL ORDER BY k LIMIT $2) ordered`

const LEAVE_GROUPS = `
  WITH gone AS (
      UPDATE member m SET until = g.seq, has_left = true FROM group_state g
      WHERE g.num = m.chat_group AND m.chat_group = ANY ($2::integer[]) AND m.account = $1 AND m.until IS NULL
      RETURNING m.chat_group)
  UPDATE chat_group SET roster = nextval('roster'), empty_ms = CASE WHEN EXISTS (
      SELECT 1 FROM member m WHERE m.chat_group = chat_group.num AND m.until IS NULL AND m.account <> $1) THEN empty_ms ELSE $3 END
  FROM gone WHERE chat_group.num = gone.chat_group`

export class PgDeletedRows {
  readonly #database: Postgres
  readonly #parts: Parts

  constructor(database: Postgres, parts: Parts) {
    this.#database = database
    this.#parts = parts
  }

  /** Writes in flight of its devices are settled, and none follows. Other relays receive this as a ban. */
  async bury(account: AccountId, nowMs: number): Promise<void> {
    const { turns, hints, numbers } = this.#parts
    await turns.run(account, async (tx, { num }) => {
      await tx.rows('SELECT end_devices($1, $2)', [num, null])
      await tx.run(BURY, [num, nowMs])
      await hints.tell(tx, { kind: 'banned', account })
    })
    numbers.forget(account)
  }

  /** Covers all recently deleted accounts: entries in flight may have arrived after the deletion. */
  async purge(nowMs: number, rowsMax: number): Promise<{ removed: number; more: boolean }> {
    const { limits } = this.#parts
    const recent = await this.#database.rows<{ num: number }>(
      'SELECT num FROM account WHERE deleted_ms >= $1 ORDER BY deleted_ms',
      [nowMs - limits.keepEntriesMs - DAY_MS],
    )
    let removed = 0
    for (const { num } of recent) {
      const left = rowsMax - removed
      if (left <= 0) return { removed, more: true }
      const groups = await this.#leaveGroups(num, nowMs)
      removed += groups
      for (const statement of PURGE) removed += await this.#database.run(statement, [num, left])
      if (groups === relayFixedLimits.groupsLeftPerTurn) return { removed, more: true }
    }
    return { removed, more: removed >= rowsMax }
  }

  async #leaveGroups(num: number, nowMs: number): Promise<number> {
    return await this.#database.transaction(async tx => {
      const locked = await tx.rows<{ num: number }>(LOCK_GROUPS, [num, relayFixedLimits.groupsLeftPerTurn])
      if (locked.length === 0) return 0
      await tx.run(LEAVE_GROUPS, [num, locked.map(group => group.num), nowMs])
      return locked.length
    })
  }
}
