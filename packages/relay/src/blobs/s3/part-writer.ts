// Writes one blob to an object store.
// Enough bytes form a part; a smaller rest is a separate object until it can form one.
import { randomBytes } from 'node:crypto'
import { type BlobId, CodedError, relayFixedLimits } from '@postern/protocol'
import type { BlobPart, BlobPartStore, BlobPartsKept } from '../../store/relay-store.ts'
import { isNext, lastSeen, lengthOf } from '../../store/rules/blob-parts.ts'
import { PartBytes, type PartMemory } from './part-memory.ts'
import type { MultipartUpload, S3Bucket } from './s3-bucket.ts'
import { S3Fault } from './s3-fault.ts'

export type WriterParts = { bucket: S3Bucket; parts: BlobPartStore; memory: PartMemory }

/** Content of one object or part: stored pieces, followed by bytes in memory. */
type Held = { pieces: readonly BlobPart[]; bytes: PartBytes }
type Sending = { bytes: PartBytes; over: Promise<void>; hasFailed: boolean }

const { blobPartBytes, blobPiecesMax } = relayFixedLimits

/** Another relay has written to the blob, or the blob is no longer being uploaded. */
export class Overtaken extends Error {}

const busy = (): CodedError =>
  new CodedError('unavailable', {}, { message: 'Too many uploads are running. Try again in a moment.' })

export class PartWriter {
  readonly #blob: BlobId
  readonly #key: string
  readonly #around: WriterParts
  /** The parts that are in the database. */
  #kept: BlobPart[]
  #upload: string | undefined
  /** A part in flight, after those in the database; the next one is filled in the meantime. */
  #sending: Sending | undefined
  /** Bytes that arrived since. */
  #bytes: PartBytes

  constructor(around: WriterParts, { blob, key, kept }: { blob: BlobId; key: string; kept: BlobPartsKept }) {
    this.#around = around
    this.#blob = blob
    this.#key = key
    this.#kept = kept.parts
    this.#upload = kept.upload
    this.#bytes = new PartBytes(around.memory)
  }

  get length(): number {
    return lengthOf(this.#kept) + (this.#sending?.bytes.length ?? 0) + this.#bytes.length
  }

  /** Throws `Overtaken`, also for an earlier part. Without memory, it stores the bytes received so far and throws. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#sending?.hasFailed) await this.#sent()
    for (let at = 0; at < bytes.length; ) {
      const room = blobPartBytes - lengthOf(this.#pieces()) - this.#bytes.length
      const before = this.#bytes.length
      const hasRoom = this.#bytes.push(bytes.subarray(at, at + room))
      at += this.#bytes.length - before
      if (this.#bytes.length - before === room) await this.#beginPart()
      // A part in flight frees its memory when it is done: only an upload without one is refused.
      else if (!hasRoom) await (this.#sending ? this.#sent() : this.#refuse())
    }
  }

  /** The upload will resume later, so the bytes in memory must be stored. */
  async keep(): Promise<void> {
    await this.#sent()
    if (this.#bytes.length === 0) return
    const pieces = this.#pieces()
    // A sender of single bytes must not create thousands of objects.
    const joined = pieces.length >= blobPiecesMax ? pieces : []
    const number = joined[0]?.number ?? (this.#kept.at(-1)?.number ?? 0) + 1
    const name = randomBytes(8).toString('hex')
    const size = lengthOf(joined) + this.#bytes.length
    const held = { pieces: joined, bytes: this.#bytes }
    await this.#withAll(held, async body => await this.#around.bucket.put(this.#keyOf({ number, tag: name }), body))
    await this.#add({ number, kind: 'piece', size, tag: name }, held).catch(async (error: unknown) => {
      // Only if overtaken: when the database's answer was lost, the piece may count.
      if (error instanceof Overtaken) await this.#forget([{ number, tag: name }])
      throw error
    })
    await this.#forget(joined)
  }

  /** Nothing more follows: makes the blob one object. */
  async complete(): Promise<void> {
    await this.#sent()
    const { length } = this
    const pieces = this.#pieces()
    const held = { pieces, bytes: this.#bytes }
    try {
      if (pieces.length < this.#kept.length) await this.#putTogether()
      else await this.#withAll(held, async body => await this.#around.bucket.put(this.#key, body))
    } catch (error) {
      // The answer was lost, or another relay completed it first, or a relay was killed before noting it.
      if ((await this.#around.bucket.length(this.#key)) !== length) throw error
    }
    await this.#forget(pieces)
    // The multipart upload was begun, but no part of it was ever noted.
    if (pieces.length === this.#kept.length) await this.#abort()
  }

  /** Settles when the memory is no longer in use. */
  async free(): Promise<void> {
    await this.#sent().catch(() => undefined)
    this.#sending?.bytes.free()
    this.#bytes.free()
  }

  /** The pieces that the next part begins with. A part in flight has taken all existing ones. */
  #pieces(): BlobPart[] {
    return this.#sending ? [] : this.#kept.filter(({ kind }) => kind === 'piece')
  }

  #keyOf({ number, tag }: Pick<BlobPart, 'number' | 'tag'>): string {
    return `${this.#key}.${number}-${tag}`
  }

  /** One part at a time, so that they are noted in order. Throws the error of the previous part. */
  async #beginPart(): Promise<void> {
    await this.#sent()
    const held = { pieces: this.#pieces(), bytes: this.#bytes }
    const sending: Sending = { bytes: held.bytes, over: this.#writePart(held), hasFailed: false }
    // The next write throws the error.
    sending.over.catch(() => (sending.hasFailed = true))
    this.#sending = sending
    this.#bytes = new PartBytes(this.#around.memory)
    // New bytes could take the memory that reading the pieces back needs.
    if (held.pieces.length > 0) await this.#sent()
  }

  /** Waits until nothing is in flight. Throws if that failed, on every call. */
  async #sent(): Promise<void> {
    if (!this.#sending) return
    await this.#sending.over
    this.#sending.bytes.free()
    this.#sending = undefined
  }

  /** Writes the pieces and the bytes in memory as one part that replaces them all. */
  async #writePart(held: Held): Promise<void> {
    const { pieces, bytes } = held
    const size = lengthOf(pieces) + bytes.length
    const { upload, number } = await this.#claimed()
    const put = async (body: readonly Uint8Array[]) => await this.#around.bucket.putPart(upload, number, body)
    const tag = await this.#withAll(held, put)
    await this.#add({ number, kind: 'part', size, tag }, held).catch(async (error: unknown) => {
      if (error instanceof Overtaken) await this.#abortForgotten(upload)
      throw error
    })
    await this.#forget(pieces)
  }

  async #claimed(): Promise<{ upload: MultipartUpload; number: number }> {
    const { bucket, parts } = this.#around
    const id = this.#upload ?? (await bucket.begin(this.#key)).id
    const claimed = await parts.claim(this.#blob, id)
    // Another relay has begun an upload in the meantime, or the blob is gone.
    if (claimed?.upload !== id) await bucket.abort({ key: this.#key, id })
    if (!claimed) throw new Overtaken()
    this.#upload = claimed.upload
    return { upload: { key: this.#key, id: claimed.upload }, number: claimed.number }
  }

  async #putTogether(): Promise<void> {
    if (this.#kept.at(-1)?.kind === 'piece' || this.#bytes.length > 0) await this.#beginPart()
    await this.#sent()
    await this.#around.bucket.putTogether({ key: this.#key, id: this.#upload ?? '' }, this.#kept)
  }

  /** Nobody will complete this upload, and nobody else knows of its parts. */
  async #abortForgotten({ id }: MultipartUpload): Promise<void> {
    if ((await this.#around.parts.of(this.#blob)).upload !== id) await this.#abort()
  }

  async #abort(): Promise<void> {
    if (this.#upload !== undefined)
      await this.#around.bucket.abort({ key: this.#key, id: this.#upload }).catch(() => undefined)
  }

  /** Notes the part in place of the pieces and bytes that it contains. */
  async #add(part: BlobPart, { pieces, bytes }: Held): Promise<void> {
    const from = pieces[0]?.number ?? part.number
    const added = await this.#around.parts.add(this.#blob, { part, from, after: lastSeen(this.#kept) })
    if (added === 'overtaken') throw new Overtaken()
    this.#kept = [...this.#kept.filter(({ number }) => number < from), part]
    // In the same turn: otherwise the bytes would count twice.
    bytes.empty()
  }

  /** Reads the pieces back and puts them before the bytes in memory. */
  async #withAll<T>({ pieces, bytes }: Held, use: (body: readonly Uint8Array[]) => Promise<T>): Promise<T> {
    const read = new PartBytes(this.#around.memory)
    try {
      for (const piece of pieces) await this.#readPiece(piece, read)
      return await use([...read.pieces(), ...bytes.pieces()])
    } finally {
      read.free()
    }
  }

  async #readPiece(piece: BlobPart, into: PartBytes): Promise<void> {
    const body = await this.#around.bucket.get(this.#keyOf(piece), { start: 0, end: piece.size - 1 })
    // A relay that merges the piece into a part then deletes it.
    if (!body) throw (await this.#isOvertaken()) ? new Overtaken() : new S3Fault('PieceMissing', 0)
    for await (const bytes of body) if (!into.push(bytes)) throw busy()
  }

  async #isOvertaken(): Promise<boolean> {
    const { parts } = await this.#around.parts.of(this.#blob)
    return !isNext(parts, lastSeen(this.#kept))
  }

  /** Failures are ignored: remaining pieces are deleted with the blob. */
  async #forget(pieces: readonly Pick<BlobPart, 'number' | 'tag'>[]): Promise<void> {
    await Promise.allSettled(pieces.map(piece => this.#around.bucket.delete(this.#keyOf(piece))))
  }

  async #refuse(): Promise<never> {
    await this.keep()
    throw busy()
  }
}
