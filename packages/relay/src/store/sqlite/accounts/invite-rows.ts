// How often each invite was used. Its terms are in its file.
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { StoredInvite } from '../../invite-store.ts'
import { inviteRefusal } from '../../rules/counts.ts'
import type { Sqlite } from '../database.ts'

export class InviteRows {
  readonly #limits: RelayLimits
  readonly #sql

  constructor(db: Sqlite, limits: RelayLimits) {
    this.#limits = limits
    this.#sql = {
      used: db.prepare<[Uint8Array], number>('SELECT used FROM invite_use WHERE hash = ?').pluck(),
      use: db.prepare(
        `INSERT INTO invite_use (hash, used, expires_ms) VALUES (?, 1, ?)
         ON CONFLICT (hash) DO UPDATE SET used = used + 1`,
      ),
      expire: db.prepare(
        `DELETE FROM invite_use WHERE hash IN
           (SELECT hash FROM invite_use WHERE expires_ms < ? ORDER BY expires_ms LIMIT 0 + ?)`,
      ),
    }
  }

  /** Throws `invite-used` if no use is left. */
  use(invite: StoredInvite): void {
    const refusal = inviteRefusal(invite, this.#sql.used.get(invite.hash) ?? 0)
    if (refusal) throw refusal
    this.#sql.use.run(invite.hash, invite.expiresMs)
  }

  uses(hash: Uint8Array): number {
    return this.#sql.used.get(hash) ?? 0
  }

  /** Removes counts of invites that have expired anyway. */
  expire(nowMs: number, countMax: number): number {
    return this.#sql.expire.run(nowMs - this.#limits.keepInvitesMs, countMax).changes
  }
}
