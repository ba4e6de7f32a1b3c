// Metadata of blobs: owner, length or maximum length, and whether they are complete. Their bytes are elsewhere.
import { type AccountId, type BlobId, CodedError } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { BlobLimits, FetchClaim, StoredBlob } from '../../relay-store.ts'
import { isFetcher, withFetcher } from '../../rules/blob-fetchers.ts'
import { blobsRefusal, dayOf, ofToday } from '../../rules/day-limits.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Sqlite } from '../database.ts'
import type { DatabaseRoom } from '../database-room.ts'
import type { BlobPartRows } from './blob-part-rows.ts'

type Given = { owner: AccountId; size: number; tokenHash: Uint8Array; nowMs: number } & BlobLimits
type Row = {
  owner: AccountId
  size: number
  tokenHash: Uint8Array
  doneMs: number | null
  expiresMs: number | null
  fetches: number | null
}
type Around = { accounts: AccountRows; limits: RelayLimits; room: DatabaseRoom; parts: BlobPartRows }
type Announced = { owner: number; size: number; begunMs: number }

/** Row by row: there may be very many. */
export const completeBlobsIn = (db: Sqlite): IterableIterator<{ blob: BlobId; bytes: number }> =>
  db
    .prepare<[], { blob: BlobId; bytes: number }>(
      'SELECT id AS blob, size AS bytes FROM blob WHERE done_ms IS NOT NULL',
    )
    .iterate()

export class BlobRows {
  readonly #accounts: AccountRows
  readonly #limits: RelayLimits
  readonly #room: DatabaseRoom
  readonly #parts: BlobPartRows
  readonly #sql

  constructor(db: Sqlite, parts: Around) {
    this.#accounts = parts.accounts
    this.#limits = parts.limits
    this.#room = parts.room
    this.#parts = parts.parts
    this.#sql = {
      insert: db.prepare(
        'INSERT INTO blob (id, owner, size, token_hash, begun_ms, lifetime_ms, fetches) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ),
      blob: db.prepare<[string], Row>(
        `SELECT account.id AS owner, size, token_hash AS tokenHash, done_ms AS doneMs, done_ms + lifetime_ms AS expiresMs, fetches
         FROM blob JOIN account ON account.num = blob.owner WHERE blob.id = ? AND account.deleted_ms IS NULL`,
      ),
      announced: db.prepare<[string], Announced>(
        'SELECT owner, size, begun_ms AS begunMs FROM blob WHERE id = ? AND done_ms IS NULL',
      ),
      finish: db.prepare('UPDATE blob SET done_ms = ?, size = ? WHERE id = ? AND done_ms IS NULL'),
      expired: db
        .prepare<[number, number, number, number, number], BlobId>(
          `SELECT id FROM blob WHERE done_ms IS NULL AND begun_ms < ?
           UNION ALL SELECT id FROM blob WHERE done_ms IS NOT NULL AND done_ms < ?
           UNION ALL SELECT id FROM blob WHERE lifetime_ms IS NOT NULL AND done_ms + lifetime_ms <= ? AND done_ms >= ?
           LIMIT 0 + ?`,
        )
        .pluck(),
      fetchers: db.prepare<[string], { fetches: number; fetchedBy: Uint8Array | null }>(
        'SELECT fetches, fetched_by AS fetchedBy FROM blob WHERE id = ? AND fetches IS NOT NULL AND done_ms IS NOT NULL',
      ),
      putFetchers: db.prepare('UPDATE blob SET fetched_by = ? WHERE id = ?'),
      unfinished: db.prepare<[], BlobId>('SELECT id FROM blob WHERE done_ms IS NULL').pluck(),
      stored: db.prepare<[], { blobs: number; blobBytes: number }>(
        'SELECT count(*) AS blobs, coalesce(sum(size), 0) AS blobBytes FROM blob WHERE done_ms IS NOT NULL',
      ),
      forget: db.prepare('DELETE FROM blob WHERE id = ?'),
    }
  }

  begin(blob: BlobId, given: Given): void {
    const owner = this.#accounts.numberOf(given.owner)
    const day = dayOf(given.nowMs)
    const before = ofToday(this.#accounts.blobsBegun(owner), day) ?? { count: 0, bytes: 0 }
    const begun = { count: before.count + 1, bytes: before.bytes + given.size }
    const refusal = blobsRefusal(this.#limits, begun, day)
    if (refusal) throw refusal
    this.#room.check(0)
    this.#accounts.putBlobsBegun(owner, { day, ...begun })
    const { size, tokenHash, nowMs, lifetimeMs = null, fetches = null } = given
    this.#sql.insert.run(blob, owner, size, tokenHash, nowMs, lifetimeMs, fetches)
  }

  get(blob: BlobId): StoredBlob | undefined {
    const row = this.#sql.blob.get(blob)
    if (!row) return undefined
    const { doneMs, expiresMs, fetches, ...stored } = row
    return {
      ...stored,
      state: doneMs === null ? 'uploading' : 'complete',
      ...(expiresMs !== null && { expiresMs }),
      ...(fetches !== null && { fetches }),
    }
  }

  finish(blob: BlobId, { size, nowMs }: { size: number; nowMs: number }): void {
    if (!this.#sql.blob.get(blob)) throw new CodedError('blob-unknown')
    this.#giveBack(blob, size)
    this.#sql.finish.run(nowMs, size, blob)
    this.#parts.forget(blob)
  }

  claimFetch(blob: BlobId, { fetcher, how }: FetchClaim): 'yours' | 'refused' {
    const row = this.#sql.fetchers.get(blob)
    if (!row) return 'refused'
    const known = row.fetchedBy ?? new Uint8Array()
    if (isFetcher(known, fetcher)) return 'yours'
    const next = how === 'claim' ? withFetcher(known, fetcher, row.fetches) : undefined
    if (!next) return 'refused'
    this.#sql.putFetchers.run(next, blob)
    return 'yours'
  }

  /** `agesMs`: the corrected clock that measures ages. */
  expired({ nowMs, agesMs }: { nowMs: number; agesMs: number }, countMax: number): BlobId[] {
    const { blobUnfinishedMs, keepBlobsMs } = this.#limits
    const keptFromMs = agesMs - keepBlobsMs
    return this.#sql.expired.all(agesMs - blobUnfinishedMs, keptFromMs, nowMs, keptFromMs, countMax)
  }

  unfinished(): BlobId[] {
    return this.#sql.unfinished.all()
  }

  stored(): { blobs: number; blobBytes: number } {
    return this.#sql.stored.get() ?? { blobs: 0, blobBytes: 0 }
  }

  forget(blob: BlobId, length: number): void {
    this.#giveBack(blob, length)
    this.#sql.forget.run(blob)
    this.#parts.forget(blob)
  }

  /** Only for today's count: those of earlier days no longer matter. */
  #giveBack(blob: BlobId, length: number): void {
    const announced = this.#sql.announced.get(blob)
    if (!announced || announced.size <= length) return
    const { owner, size, begunMs } = announced
    const begun = ofToday(this.#accounts.blobsBegun(owner), dayOf(begunMs))
    if (begun) this.#accounts.putBlobsBegun(owner, { ...begun, bytes: begun.bytes - (size - length) })
  }
}
