// Blobs in an S3 object store. The database lists the parts of a blob while it is being uploaded.
import { type BlobId, type Clock, CodedError, type Log, relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { BlobPartStore } from '../../store/relay-store.ts'
import { lengthOf } from '../../store/rules/blob-parts.ts'
import type { S3Place } from '../blob-place.ts'
import { type AppendResult, type BlobStore, type PieceBounds, refusalOf } from '../blob-store.ts'
import { PartMemory } from './part-memory.ts'
import { Overtaken, PartWriter, type WriterParts } from './part-writer.ts'
import { S3Bucket } from './s3-bucket.ts'
import { S3Client } from './s3-client.ts'
import { isS3Fault, unavailable } from './s3-fault.ts'

type Around = { parts: BlobPartStore; clock: Clock; limits: RelayLimits; log?: Log | undefined }

/** Throws `bad-field` that names the option if the bucket cannot be used. */
export async function openS3BlobStore(place: S3Place, { parts, clock, limits, log }: Around): Promise<BlobStore> {
  const bucket = new S3Bucket(new S3Client(place, { clock, limits, log }))
  try {
    await bucket.list(place.prefix, 1)
    return new S3BlobStore(place.prefix, { bucket, parts, memory: new PartMemory(limits) })
  } catch (cause) {
    bucket.close()
    if (!isS3Fault(cause)) throw cause
    const rule = `the bucket "${place.bucket}" at ${place.endpoint} cannot be used: ${cause.message}`
    throw new CodedError('bad-field', { field: '--blobs', rule }, { cause })
  }
}

class S3BlobStore implements BlobStore {
  readonly #prefix: string
  readonly #around: WriterParts

  constructor(prefix: string, around: WriterParts) {
    this.#prefix = prefix
    this.#around = around
  }

  async length(blob: BlobId): Promise<number> {
    return lengthOf((await this.#around.parts.of(blob)).parts)
  }

  async append(blob: BlobId, body: AsyncIterable<Uint8Array>, at: PieceBounds): Promise<AppendResult> {
    const kept = await this.#around.parts.of(blob)
    if (lengthOf(kept.parts) !== at.offset) return { kind: 'overtaken', length: lengthOf(kept.parts) }
    const writer = new PartWriter(this.#around, { blob, key: this.#keyOf(blob), kept })
    const chunks = body[Symbol.asyncIterator]()
    try {
      return await appendAll(writer, chunks, at)
    } catch (error) {
      if (error instanceof Overtaken) return { kind: 'overtaken', length: await this.length(blob) }
      throw unavailable(error)
    } finally {
      await writer.free()
      await chunks.return?.()
    }
  }

  async complete(blob: BlobId, length: number): Promise<'complete' | 'overtaken'> {
    const kept = await this.#around.parts.of(blob)
    if (lengthOf(kept.parts) !== length) return 'overtaken'
    const writer = new PartWriter(this.#around, { blob, key: this.#keyOf(blob), kept })
    try {
      await writer.complete()
      return 'complete'
    } catch (error) {
      if (error instanceof Overtaken) return 'overtaken'
      throw unavailable(error)
    } finally {
      await writer.free()
    }
  }

  async read(blob: BlobId, range: { start: number; end: number }): Promise<AsyncIterable<Uint8Array> | undefined> {
    try {
      const body = await this.#around.bucket.get(this.#keyOf(blob), range)
      return body && orUnavailable(body)
    } catch (error) {
      throw unavailable(error)
    }
  }

  async delete(blob: BlobId): Promise<void> {
    const { bucket, parts } = this.#around
    const key = this.#keyOf(blob)
    try {
      const { upload } = await parts.of(blob)
      if (upload !== undefined) await bucket.abort({ key, id: upload })
      // By listing, not by the noted parts: a killed relay may have left objects that are not noted.
      for (;;) {
        const keys = await bucket.list(key)
        for (const each of keys) await bucket.delete(each)
        if (keys.length < relayFixedLimits.objectsPerList) return
      }
    } catch (error) {
      throw unavailable(error)
    }
  }

  close(): void {
    this.#around.bucket.close()
  }

  #keyOf(blob: BlobId): string {
    return `${this.#prefix}${blob.slice(0, 2)}/${blob}`
  }
}

/** Bytes from before the break are kept, so the next upload resumes there. */
async function appendAll(
  writer: PartWriter,
  chunks: AsyncIterator<Uint8Array>,
  at: PieceBounds,
): Promise<AppendResult> {
  for (;;) {
    const next = await chunks.next().catch(() => undefined)
    const { length } = writer
    const isWhole = next?.done === true
    if (isWhole && length > 0 && (at.isLast || length === at.lengthMax)) {
      await writer.complete()
      return { kind: 'complete', length }
    }
    const refused = next && !next.done ? refusalOf(next.value.length, { ...at, length }) : undefined
    if (!next || next.done || refused) await writer.keep()
    if (refused) throw refused
    if (!next || next.done) return { kind: isWhole ? 'whole' : 'broken', length }
    await writer.write(next.value)
  }
}

async function* orUnavailable(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw unavailable(error)
  }
}
