// Which group continues which, and who was in a group lately: those may move along without counting as new people.
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { takesPlace } from '../../rules/continuations.ts'
import type { Sqlite } from '../database.ts'

export class ContinuationRows {
  readonly #limits: RelayLimits
  readonly #sql

  constructor(db: Sqlite, limits: RelayLimits) {
    this.#limits = limits
    this.#sql = {
      gone: db.prepare(
        `INSERT INTO past_member (chat_group, account, until_ms) VALUES (?, ?, ?)
         ON CONFLICT (chat_group, account) DO UPDATE SET until_ms = max(until_ms, excluded.until_ms)`,
      ),
      hasMember: db
        .prepare<[{ group: number; account: number; sinceMs: number }], 1>(
          `SELECT 1 FROM member WHERE chat_group = @group AND account = @account AND has_left = 0
           UNION ALL
           SELECT 1 FROM past_member WHERE chat_group = @group AND account = @account AND until_ms >= @sinceMs`,
        )
        .pluck(),
      begin: db.prepare(
        `INSERT INTO continuation (creator, continued, chat_group) VALUES (@creator, @continued, @group)
         ON CONFLICT (creator, continued) DO UPDATE SET chat_group = excluded.chat_group`,
      ),
      isUsed: db
        .prepare<[number, number], number>('SELECT is_used FROM continuation WHERE creator = ? AND continued = ?')
        .pluck(),
      use: db.prepare('UPDATE continuation SET is_used = 1 WHERE chat_group = ? AND is_used = 0'),
      continuedBy: db
        .prepare<[number, number], number>('SELECT continued FROM continuation WHERE chat_group = ? AND creator = ?')
        .pluck(),
      end: db.prepare('UPDATE continuation SET chat_group = NULL WHERE chat_group = ?'),
      forgetPast: db.prepare('DELETE FROM past_member WHERE chat_group = ?'),
      forget: db.prepare('DELETE FROM continuation WHERE continued = @group OR chat_group = @group'),
      expire: db.prepare(
        `DELETE FROM past_member WHERE (chat_group, account) IN
           (SELECT chat_group, account FROM past_member WHERE until_ms < ? ORDER BY until_ms LIMIT 0 + ?)`,
      ),
    }
  }

  noteGone(group: number, account: number, nowMs: number): void {
    this.#sql.gone.run(group, account, nowMs)
  }

  /** The account is in the group, or was lately. */
  hasMember(group: number, account: number, nowMs: number): boolean {
    const sinceMs = nowMs - this.#limits.keepPastMembersMs
    return this.#sql.hasMember.get({ group, account, sinceMs }) !== undefined
  }

  /** The new group becomes the continuation, unless an earlier one is already used. */
  begin(group: number, of: { creator: number; continued: number }): void {
    const isUsed = this.#sql.isUsed.get(of.creator, of.continued)
    if (takesPlace(isUsed === undefined ? undefined : { isUsed: isUsed === 1 })) this.#sql.begin.run({ ...of, group })
  }

  /** Someone is added to the group. */
  use(group: number): void {
    this.#sql.use.run(group)
  }

  /** The group that `group` continues for its creator. */
  continuedBy(group: number, creator: number): number | undefined {
    return this.#sql.continuedBy.get(group, creator)
  }

  /** From here on `group` is a group like any other. */
  end(group: number): void {
    this.#sql.end.run(group)
  }

  /** The group's number may be assigned again. */
  forgetGroup(group: number): void {
    this.#sql.forgetPast.run(group)
    this.#sql.forget.run({ group })
  }

  expire(nowMs: number, countMax: number): number {
    return this.#sql.expire.run(nowMs - this.#limits.keepPastMembersMs, countMax).changes
  }
}
