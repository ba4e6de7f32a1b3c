// Blobs: whose they are, how long they are or may become, whether they are complete. Their bytes are elsewhere.
import { type AccountId, type BlobId, CodedError } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { StoredBlob } from '../relay-store.ts'
import type { AccountRows } from './account-rows.ts'
import type { Sqlite } from './database.ts'

const DAY_MS = 86_400_000

type Given = { owner: AccountId; size: number; tokenHash: Uint8Array; nowMs: number }
type Row = { owner: AccountId; size: number; tokenHash: Uint8Array; doneMs: number | null }
type Used = { day: number; count: number; bytes: number }

export class BlobRows {
  readonly #accounts: AccountRows
  readonly #limits: RelayLimits
  readonly #sql

  constructor(db: Sqlite, parts: { accounts: AccountRows; limits: RelayLimits }) {
    this.#accounts = parts.accounts
    this.#limits = parts.limits
    this.#sql = {
      used: db.prepare<[number], Used>(
        'SELECT blob_day AS day, blob_count AS count, blob_bytes AS bytes FROM account WHERE num = ?',
      ),
      use: db.prepare('UPDATE account SET blob_day = ?, blob_count = ?, blob_bytes = ? WHERE num = ?'),
      insert: db.prepare('INSERT INTO blob (id, owner, size, token_hash, begun_ms) VALUES (?, ?, ?, ?, ?)'),
      blob: db.prepare<[string], Row>(
        `SELECT account.id AS owner, size, token_hash AS tokenHash, done_ms AS doneMs
         FROM blob JOIN account ON account.num = blob.owner WHERE blob.id = ?`,
      ),
      // Only what was counted today: the bytes of a day that is over are forgotten with it.
      giveBack: db.prepare(
        `UPDATE account SET blob_bytes = blob_bytes - (blob.size - ?) FROM blob
         WHERE blob.id = ? AND blob.done_ms IS NULL AND blob.size > ?
           AND account.num = blob.owner AND account.blob_day = blob.begun_ms / ${DAY_MS}`,
      ),
      finish: db.prepare('UPDATE blob SET done_ms = ?, size = ? WHERE id = ? AND done_ms IS NULL'),
      expired: db
        .prepare<[number, number, number], BlobId>(
          `SELECT id FROM blob WHERE done_ms IS NULL AND begun_ms < ?
           UNION ALL SELECT id FROM blob WHERE done_ms IS NOT NULL AND done_ms < ? LIMIT ?`,
        )
        .pluck(),
      forget: db.prepare('DELETE FROM blob WHERE id = ?'),
    }
  }

  begin(blob: BlobId, given: Given): void {
    const owner = this.#accounts.numberOf(given.owner)
    const day = Math.floor(given.nowMs / DAY_MS)
    const before = this.#sql.used.get(owner)
    const today = before?.day === day ? before : { count: 0, bytes: 0 }
    const count = today.count + 1
    const bytes = today.bytes + given.size
    if (count > this.#limits.blobsPerDayMax || bytes > this.#limits.blobsPerDayBytesMax)
      throw new CodedError('rate-limited', { what: 'blobs of one day', retryAtMs: (day + 1) * DAY_MS })
    this.#sql.use.run(day, count, bytes, owner)
    this.#sql.insert.run(blob, owner, given.size, given.tokenHash, given.nowMs)
  }

  get(blob: BlobId): StoredBlob | undefined {
    const row = this.#sql.blob.get(blob)
    if (!row) return undefined
    const { doneMs, ...stored } = row
    return { ...stored, state: doneMs === null ? 'uploading' : 'complete' }
  }

  finish(blob: BlobId, { size, nowMs }: { size: number; nowMs: number }): void {
    if (!this.#sql.blob.get(blob)) throw new CodedError('blob-unknown')
    this.#sql.giveBack.run(size, blob, size)
    this.#sql.finish.run(nowMs, size, blob)
  }

  expired(nowMs: number, countMax: number): BlobId[] {
    return this.#sql.expired.all(nowMs - this.#limits.blobUnfinishedMs, nowMs - this.#limits.keepBlobsMs, countMax)
  }

  forget(blob: BlobId, length: number): void {
    this.#sql.giveBack.run(length, blob, length)
    this.#sql.forget.run(blob)
  }
}
