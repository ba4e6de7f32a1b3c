// The parts of an unfinished blob that is stored in parts or by several relays; decides between concurrent writers.
import type { BlobId } from '@postern/protocol'
import type { AddedPart, BlobPart, BlobPartStore, BlobPartsKept, ClaimedPart } from '../../relay-store.ts'
import { isNext } from '../../rules/blob-parts.ts'
import type { Sqlite } from '../database.ts'
import type { DatabaseRoom } from '../database-room.ts'
import type { GroupCommit } from '../group-commit.ts'

export class BlobPartRows {
  readonly #room: DatabaseRoom
  readonly #sql

  constructor(db: Sqlite, room: DatabaseRoom) {
    this.#room = room
    this.#sql = {
      uploading: db.prepare<[string], 1>('SELECT 1 FROM blob WHERE id = ? AND done_ms IS NULL').pluck(),
      upload: db.prepare<[string], string>('SELECT upload FROM blob_upload WHERE blob = ?').pluck(),
      claim: db.prepare<[string, string], ClaimedPart>(
        `INSERT INTO blob_upload (blob, upload, claimed) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET claimed = claimed + 1
         RETURNING upload, claimed AS number`,
      ),
      parts: db.prepare<[string], BlobPart>(
        'SELECT number, kind, size, tag FROM blob_part WHERE blob = ? ORDER BY number',
      ),
      insert: db.prepare('INSERT INTO blob_part (blob, number, kind, size, tag) VALUES (?, ?, ?, ?, ?)'),
      forgetFrom: db.prepare('DELETE FROM blob_part WHERE blob = ? AND number >= ?'),
      forgetUpload: db.prepare('DELETE FROM blob_upload WHERE blob = ?'),
    }
  }

  of(blob: BlobId): BlobPartsKept {
    return { upload: this.#sql.upload.get(blob), parts: this.#sql.parts.all(blob) }
  }

  claim(blob: BlobId, upload: string): ClaimedPart | undefined {
    if (!this.#sql.uploading.get(blob)) return undefined
    this.#room.check(0)
    return this.#sql.claim.get(blob, upload)
  }

  add(blob: BlobId, { part, from, after }: AddedPart): 'added' | 'overtaken' {
    if (!this.#sql.uploading.get(blob) || !isNext(this.#sql.parts.all(blob), after)) return 'overtaken'
    this.#room.check(0)
    this.#sql.forgetFrom.run(blob, from)
    this.#sql.insert.run(blob, part.number, part.kind, part.size, part.tag)
    return 'added'
  }

  forget(blob: BlobId): void {
    this.#sql.forgetFrom.run(blob, 0)
    this.#sql.forgetUpload.run(blob)
  }
}

export const blobPartStore = (rows: BlobPartRows, writes: GroupCommit): BlobPartStore => ({
  of: async blob => rows.of(blob),
  claim: (blob, upload) => writes.run(() => rows.claim(blob, upload)),
  add: (blob, added) => writes.run(() => rows.add(blob, added)),
})
