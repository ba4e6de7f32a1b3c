// Metadata of blobs: owner, length or maximum length, and whether they are complete. Their bytes are elsewhere.
import { type AccountId, type BlobId, CodedError, DAY_MS } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { BlobLimits, FetchClaim, StoredBlob } from '../../relay-store.ts'
import { isFetcher } from '../../rules/blob-fetchers.ts'
import { blobsRefusal, dayOf } from '../../rules/day-limits.ts'
import type { AccountNumbers } from '../accounts/account-numbers.ts'
import type { Postgres } from '../connection/database.ts'
import { forgetBlobParts } from './blob-part-rows.ts'

type Given = { owner: AccountId; size: number; tokenHash: Uint8Array; nowMs: number } & BlobLimits
type Row = {
  owner: AccountId
  size: number
  tokenHash: Uint8Array
  isDone: boolean
  expiresMs: number | null
  fetches: number | null
}

/** Counts and begins in one statement: of two concurrent relays, the second sees the count of the first. */
const BEGIN = `
  WITH counted AS (
    UPDATE account SET blob_day = $3, blob_count = CASE blob_day WHEN $3 THEN blob_count ELSE 0 END + 1,
      blob_bytes = CASE blob_day WHEN $3 THEN blob_bytes ELSE 0 END + $4
    WHERE num = $2 AND CASE blob_day WHEN $3 THEN blob_count ELSE 0 END + 1 <= $7
      AND CASE blob_day WHEN $3 THEN blob_bytes ELSE 0 END + $4 <= $8
    RETURNING num)
  INSERT INTO blob (id, owner, size, token_hash, begun_ms, lifetime_ms, fetches)
  SELECT $1, num, $4, $5, $6, $9, $10 FROM counted`

/** Only for today's count: those of earlier days no longer matter. */
const FINISH = `
  WITH was AS (SELECT id, owner, size, begun_ms, done_ms FROM blob WHERE id = $1 FOR UPDATE),
    given_back AS (
      UPDATE account SET blob_bytes = blob_bytes - (was.size - $2) FROM was
      WHERE num = was.owner AND was.done_ms IS NULL AND was.size > $2 AND blob_day = was.begun_ms / ${DAY_MS}),
    done AS (UPDATE blob SET done_ms = $3, size = $2 FROM was WHERE blob.id = was.id AND was.done_ms IS NULL)
  SELECT id FROM was`

const FORGET = `
  WITH gone AS (DELETE FROM blob WHERE id = $1 RETURNING owner, size, begun_ms, done_ms)
  UPDATE account SET blob_bytes = blob_bytes - (gone.size - $2) FROM gone
  WHERE num = gone.owner AND gone.done_ms IS NULL AND gone.size > $2 AND blob_day = gone.begun_ms / ${DAY_MS}`

/** In one statement: of two concurrent relays, the second sees the fetcher of the first. */
const CLAIM = `
  UPDATE blob SET fetched_by = coalesce(fetched_by, ''::bytea) || $2
  WHERE id = $1 AND done_ms IS NOT NULL AND octet_length(coalesce(fetched_by, ''::bytea)) < 32 * fetches
    AND position($2::bytea IN coalesce(fetched_by, ''::bytea)) = 0`

export class PgBlobRows {
  readonly #database: Postgres
  readonly #numbers: AccountNumbers
  readonly #limits: RelayLimits

  constructor(database: Postgres, { numbers, limits }: { numbers: AccountNumbers; limits: RelayLimits }) {
    this.#database = database
    this.#numbers = numbers
    this.#limits = limits
  }

  async begin(blob: BlobId, given: Given, signal?: AbortSignal): Promise<void> {
    const { owner, size, tokenHash, nowMs, lifetimeMs, fetches } = given
    const num = await this.#numbers.numberOf(owner, signal)
    const day = dayOf(nowMs)
    const { blobsPerDayMax, blobsPerDayBytesMax } = this.#limits
    const limits = [blobsPerDayMax, blobsPerDayBytesMax, lifetimeMs ?? null, fetches ?? null]
    const values = [blob, num, day, size, tokenHash, nowMs, ...limits]
    if ((await this.#database.until(signal).run(BEGIN, values)) > 0) return
    throw blobsRefusal(this.#limits, { count: blobsPerDayMax + 1, bytes: size }, day) ?? new CodedError('internal')
  }

  async get(blob: BlobId): Promise<StoredBlob | undefined> {
    const row = await this.#database.one<Row>(
      `SELECT account.id AS owner, size, token_hash AS "tokenHash", done_ms IS NOT NULL AS "isDone",
         done_ms + lifetime_ms AS "expiresMs", fetches
       FROM blob JOIN account ON num = owner WHERE blob.id = $1 AND deleted_ms IS NULL`,
      [blob],
    )
    if (!row) return undefined
    const { isDone, expiresMs, fetches, ...stored } = row
    return {
      ...stored,
      state: isDone ? 'complete' : 'uploading',
      ...(expiresMs !== null && { expiresMs }),
      ...(fetches !== null && { fetches }),
    }
  }

  async finish(blob: BlobId, { size, nowMs }: { size: number; nowMs: number }): Promise<void> {
    await this.#database.transaction(async tx => {
      if (!(await tx.one(FINISH, [blob, size, nowMs]))) throw new CodedError('blob-unknown')
      await forgetBlobParts(tx, blob)
    })
  }

  async claimFetch(blob: BlobId, { fetcher, how }: FetchClaim): Promise<'yours' | 'refused'> {
    if (how === 'claim' && (await this.#database.run(CLAIM, [blob, fetcher])) > 0) return 'yours'
    const row = await this.#database.one<{ fetchedBy: Uint8Array | null }>(
      'SELECT fetched_by AS "fetchedBy" FROM blob WHERE id = $1 AND fetches IS NOT NULL AND done_ms IS NOT NULL',
      [blob],
    )
    return row?.fetchedBy && isFetcher(row.fetchedBy, fetcher) ? 'yours' : 'refused'
  }

  /** `agesMs`: the corrected clock that measures ages. */
  async expired({ nowMs, agesMs }: { nowMs: number; agesMs: number }, countMax: number): Promise<BlobId[]> {
    const rows = await this.#database.rows<{ id: BlobId }>(
      `SELECT id FROM blob WHERE done_ms IS NULL AND begun_ms < $1
       UNION ALL SELECT id FROM blob WHERE done_ms < $2
       UNION ALL SELECT id FROM blob WHERE lifetime_ms IS NOT NULL AND done_ms + lifetime_ms <= $3 AND done_ms >= $2
       LIMIT $4`,
      [agesMs - this.#limits.blobUnfinishedMs, agesMs - this.#limits.keepBlobsMs, nowMs, countMax],
    )
    return rows.map(({ id }) => id)
  }

  async unfinished(): Promise<BlobId[]> {
    const rows = await this.#database.rows<{ id: BlobId }>('SELECT id FROM blob WHERE done_ms IS NULL')
    return rows.map(({ id }) => id)
  }

  async forget(blob: BlobId, length: number): Promise<void> {
    await this.#database.transaction(async tx => {
      await tx.run(FORGET, [blob, length])
      await forgetBlobParts(tx, blob)
    })
  }
}
