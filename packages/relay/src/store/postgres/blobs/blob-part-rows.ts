// The parts of an unfinished blob that is stored in parts; decides between relays that write to it.
import type { BlobId } from '@postern/protocol'
import type { AddedPart, BlobPart, BlobPartStore, BlobPartsKept, ClaimedPart } from '../../relay-store.ts'
import { isNext } from '../../rules/blob-parts.ts'
import type { Postgres } from '../connection/database.ts'
import type { Queries } from '../connection/queries.ts'

/** Locked, so that the second writer sees the rows of the first. */
const OPEN = 'SELECT id FROM blob WHERE id = $1 AND done_ms IS NULL FOR UPDATE'
const PARTS = 'SELECT number, kind, size, tag FROM blob_part WHERE blob = $1 ORDER BY number'
const CLAIM = `
  INSERT INTO blob_upload AS was (blob, upload, claimed) VALUES ($1, $2, 1)
  ON CONFLICT (blob) DO UPDATE SET claimed = was.claimed + 1 RETURNING upload, claimed AS number`
const UPLOAD = 'SELECT upload FROM blob_upload WHERE blob = $1'

export class PgBlobPartRows implements BlobPartStore {
  readonly #database: Postgres

  constructor(database: Postgres) {
    this.#database = database
  }

  async of(blob: BlobId): Promise<BlobPartsKept> {
    const noted = await this.#database.one<{ upload: string }>(UPLOAD, [blob])
    return { upload: noted?.upload, parts: await this.#database.rows<BlobPart>(PARTS, [blob]) }
  }

  async claim(blob: BlobId, upload: string): Promise<ClaimedPart | undefined> {
    return await this.#database.transaction(async tx => {
      if (!(await tx.one(OPEN, [blob]))) return undefined
      return await tx.one<ClaimedPart>(CLAIM, [blob, upload])
    })
  }

  async add(blob: BlobId, { part, from, after }: AddedPart): Promise<'added' | 'overtaken'> {
    return await this.#database.transaction(async tx => {
      if (!(await tx.one(OPEN, [blob]))) return 'overtaken'
      if (!isNext(await tx.rows<BlobPart>(PARTS, [blob]), after)) return 'overtaken'
      await tx.run('DELETE FROM blob_part WHERE blob = $1 AND number >= $2', [blob, from])
      const values = [blob, part.number, part.kind, part.size, part.tag]
      await tx.run('INSERT INTO blob_part (blob, number, kind, size, tag) VALUES ($1, $2, $3, $4, $5)', values)
      return 'added'
    })
  }
}

/** In the transaction that finishes or forgets the blob. */
export async function forgetBlobParts(tx: Queries, blob: BlobId): Promise<void> {
  await tx.run('DELETE FROM blob_part WHERE blob = $1', [blob])
  await tx.run('DELETE FROM blob_upload WHERE blob = $1', [blob])
}
