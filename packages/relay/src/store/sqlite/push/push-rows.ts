// Subscriptions of devices at push services, and the relay's own key there.
import { bytesOf, relayFixedLimits } from '@postern/protocol'
import type { DeviceClaim } from '../../fence.ts'
import type { PushKeyPair, PushSubscription } from '../../push-store.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Sqlite } from '../database.ts'
import type { DatabaseRoom } from '../database-room.ts'

type Parts = { accounts: AccountRows; room: DatabaseRoom }

export class PushRows {
  readonly #parts: Parts
  readonly #sql

  constructor(db: Sqlite, parts: Parts) {
    this.#parts = parts
    this.#sql = {
      keep: db.prepare('INSERT INTO push_key VALUES (1, ?, ?) ON CONFLICT DO NOTHING'),
      key: db.prepare<[], PushKeyPair>('SELECT private_key AS privateKey, public_key AS publicKey FROM push_key'),
      // A device that comes back keeps its position: what was not pushed yet still is.
      set: db.prepare(
        `INSERT INTO push_subscription (device, account, serial, endpoint, p256dh, auth, muted, set_ms, pushed)
         SELECT @device, @account, @serial, @endpoint, @p256dh, @auth, @muted, @nowMs,
           max(cursor, coalesce((SELECT max(pos) FROM mailbox WHERE mailbox.account = @account), 0))
         FROM account WHERE num = @account
         ON CONFLICT (device) DO UPDATE SET account = excluded.account, serial = excluded.serial,
           endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth, muted = excluded.muted,
           set_ms = excluded.set_ms`,
      ),
      dropOldest: db.prepare(
        `DELETE FROM push_subscription WHERE device IN
           (SELECT device FROM push_subscription WHERE account = ? ORDER BY set_ms DESC LIMIT -1 OFFSET 0 + ?)`,
      ),
      clear: db.prepare('DELETE FROM push_subscription WHERE device = ?'),
      drop: db.prepare('DELETE FROM push_subscription WHERE device = ? AND endpoint = ?'),
      notePushed: db.prepare('UPDATE push_subscription SET pushed = max(pushed, ?) WHERE device = ?'),
    }
  }

  keyPair(candidate: () => PushKeyPair): PushKeyPair {
    const known = this.#sql.key.get()
    if (known) return known
    const made = candidate()
    this.#sql.keep.run(made.privateKey, made.publicKey)
    return made
  }

  set({ device, account, serial }: DeviceClaim, subscription: PushSubscription & { nowMs: number }): void {
    const muted = Buffer.concat(subscription.muted.map(bytesOf))
    const num = this.#parts.accounts.numberOf(account)
    this.#parts.room.check(muted.length + subscription.endpoint.length)
    const { endpoint, p256dh, auth, nowMs } = subscription
    this.#sql.set.run({ device, account: num, serial, endpoint, p256dh, auth, muted, nowMs })
    this.#sql.dropOldest.run(num, relayFixedLimits.subscriptionsPerAccountMax)
  }

  clear(device: string): void {
    this.#sql.clear.run(device)
  }

  drop(device: string, endpoint: string): void {
    this.#sql.drop.run(device, endpoint)
  }

  notePushed(device: string, pos: number): void {
    this.#sql.notePushed.run(pos, device)
  }
}
