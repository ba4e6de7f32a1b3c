// Invites and their uses, in the database, because the relays that share it run on many machines.
import { CodedError } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { InviteStore, StoredInvite } from '../../invite-store.ts'
import { inviteRefusal } from '../../rules/counts.ts'
import type { Queries } from '../connection/queries.ts'

type Row = { hash: Buffer; usesMax: number; expiresMs: number }

const INVITES = 'SELECT hash, uses_max AS "usesMax", expires_ms AS "expiresMs" FROM invite'

export class PgInviteRows implements InviteStore {
  readonly #database: Queries
  readonly #limits: RelayLimits

  constructor(database: Queries, limits: RelayLimits) {
    this.#database = database
    this.#limits = limits
  }

  async put({ hash, usesMax, expiresMs }: StoredInvite): Promise<void> {
    await this.#database.run('INSERT INTO invite (hash, uses_max, expires_ms) VALUES ($1, $2, $3)', [
      hash,
      usesMax,
      expiresMs,
    ])
  }

  async get(hash: Uint8Array): Promise<StoredInvite | undefined> {
    return await this.#database.one<Row>(`${INVITES} WHERE hash = $1`, [hash])
  }

  async list(): Promise<StoredInvite[]> {
    return await this.#database.rows<Row>(`${INVITES} ORDER BY expires_ms`)
  }

  /** Also noted with its uses: another relay may have just found the invite and be about to use it. */
  async remove(hash: Uint8Array): Promise<void> {
    await this.#database.run(
      `WITH gone AS (DELETE FROM invite WHERE hash = $1 RETURNING expires_ms)
       INSERT INTO invite_use (hash, used, expires_ms, is_revoked) SELECT $1, 0, expires_ms, true FROM gone
       ON CONFLICT (hash) DO UPDATE SET is_revoked = true`,
      [hash],
    )
  }

  async sweep(beforeMs: number): Promise<number> {
    return await this.#database.run('DELETE FROM invite WHERE expires_ms < $1', [beforeMs])
  }

  /**
   * In the transaction of the registration.
   * Throws `invite-used` if no use is left, `invite-wrong` if it was revoked.
   */
  async use(tx: Queries, invite: StoredInvite): Promise<void> {
    // The row exists and is locked before the check: concurrent registrations each see the uses before them.
    const found = await tx.one<{ used: number; isRevoked: boolean }>(
      `INSERT INTO invite_use (hash, used, expires_ms) VALUES ($1, 1, $2)
       ON CONFLICT (hash) DO UPDATE SET used = invite_use.used + 1 RETURNING used, is_revoked AS "isRevoked"`,
      [invite.hash, invite.expiresMs],
    )
    if (found?.isRevoked) throw new CodedError('invite-wrong')
    const refusal = inviteRefusal(invite, (found?.used ?? 1) - 1)
    if (refusal) throw refusal
  }

  async uses(hash: Uint8Array): Promise<number> {
    const row = await this.#database.one<{ used: number }>('SELECT used FROM invite_use WHERE hash = $1', [hash])
    return row?.used ?? 0
  }

  /** Removes counts of invites that have expired anyway. */
  async expire(nowMs: number, countMax: number): Promise<number> {
    return await this.#database.run(
      `DELETE FROM invite_use WHERE hash IN
         (SELECT hash FROM invite_use WHERE expires_ms < $1 ORDER BY expires_ms LIMIT $2)`,
      [nowMs - this.#limits.keepInvitesMs, countMax],
    )
  }
}
