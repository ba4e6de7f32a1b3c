// Writes to one blob in a store of objects. Enough bytes are a part; fewer are an object by themselves until there are enough.
import { randomBytes } from 'node:crypto'
import { type BlobId, CodedError, relayFixedLimits } from '@postern/protocol'
import type { BlobPart, BlobPartStore, BlobPartsKept } from '../../store/relay-store.ts'
import { isNext, lastSeen, lengthOf } from '../../store/rules/blob-parts.ts'
import { PartBytes, type PartMemory } from './part-memory.ts'
import type { MultipartUpload, S3Bucket } from './s3-bucket.ts'
import { S3Fault } from './s3-fault.ts'

export type WriterParts = { bucket: S3Bucket; parts: BlobPartStore; memory: PartMemory }

/** What becomes one object or one part: pieces that are there, and what is in memory behind them. */
type Held = { pieces: readonly BlobPart[]; bytes: PartBytes }
type Sending = { bytes: PartBytes; over: Promise<void>; hasFailed: boolean }

const { blobPartBytes, blobPiecesMax } = relayFixedLimits

/** Another relay has written to the blob, or it is not uploaded any more. */
export class Overtaken extends Error {}

const busy = (): CodedError =>
  new CodedError('unavailable', {}, { message: 'Too many uploads are running. Try again in a moment.' })

export class PartWriter {
  readonly #blob: BlobId
  readonly #key: string
  readonly #around: WriterParts
  /** As the database has them. */
  #kept: BlobPart[]
  #upload: string | undefined
  /** A part on its way, behind what the database has: the next one comes meanwhile. */
  #sending: Sending | undefined
  /** What has come since. */
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

  /** Throws `Overtaken`, also of a part before; when there is no memory for it, what has come before is kept. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#sending?.hasFailed) await this.#sent()
    for (let at = 0; at < bytes.length; ) {
      const room = blobPartBytes - lengthOf(this.#pieces()) - this.#bytes.length
      const before = this.#bytes.length
      const hasRoom = this.#bytes.push(bytes.subarray(at, at + room))
      at += this.#bytes.length - before
      if (this.#bytes.length - before === room) await this.#beginPart()
      // What is on its way gives its memory back: only who has nothing there is refused.
      else if (!hasRoom) await (this.#sending ? this.#sent() : this.#refuse())
    }
  }

  /** The upload goes on another time: what is here must be there then. */
  async keep(): Promise<void> {
    await this.#sent()
    if (this.#bytes.length === 0) return
    const pieces = this.#pieces()
    // Who sends a byte at a time must not make thousands of objects.
    const joined = pieces.length >= blobPiecesMax ? pieces : []
    const number = joined[0]?.number ?? (this.#kept.at(-1)?.number ?? 0) + 1
    const name = randomBytes(8).toString('hex')
    const size = lengthOf(joined) + this.#bytes.length
    const held = { pieces: joined, bytes: this.#bytes }
    await this.#withAll(held, async body => await this.#around.bucket.put(this.#keyOf({ number, tag: name }), body))
    await this.#add({ number, kind: 'piece', size, tag: name }, held).catch(async (error: unknown) => {
      // Only then: where the answer of the database was lost, the piece may count.
      if (error instanceof Overtaken) await this.#forget([{ number, tag: name }])
      throw error
    })
    await this.#forget(joined)
  }

  /** Nothing more comes: the blob is one object from here on. */
  async complete(): Promise<void> {
    await this.#sent()
    const { length } = this
    const pieces = this.#pieces()
    const held = { pieces, bytes: this.#bytes }
    try {
      if (pieces.length < this.#kept.length) await this.#putTogether()
      else await this.#withAll(held, async body => await this.#around.bucket.put(this.#key, body))
    } catch (error) {
      // The answer may have been lost, or another relay was first, or one was killed before it could note it.
      if ((await this.#around.bucket.length(this.#key)) !== length) throw error
    }
    await this.#forget(pieces)
    // Begun, and nothing of it was ever noted as a part.
    if (pieces.length === this.#kept.length) await this.#abort()
  }

  /** Settles when nothing of it is used any more. */
  async free(): Promise<void> {
    await this.#sent().catch(() => undefined)
    this.#sending?.bytes.free()
    this.#bytes.free()
  }

  /** Those that the next part begins with: what is on its way has taken all that were there. */
  #pieces(): BlobPart[] {
    return this.#sending ? [] : this.#kept.filter(({ kind }) => kind === 'piece')
  }

  #keyOf({ number, tag }: Pick<BlobPart, 'number' | 'tag'>): string {
    return `${this.#key}.${number}-${tag}`
  }

  /** One at a time, so that they are noted in their order. Throws what became of the one before. */
  async #beginPart(): Promise<void> {
    await this.#sent()
    const held = { pieces: this.#pieces(), bytes: this.#bytes }
    const sending: Sending = { bytes: held.bytes, over: this.#writePart(held), hasFailed: false }
    // Whoever writes next is told of it.
    sending.over.catch(() => (sending.hasFailed = true))
    this.#sending = sending
    this.#bytes = new PartBytes(this.#around.memory)
    // What comes next could take the memory into which they are read back.
    if (held.pieces.length > 0) await this.#sent()
  }

  /** Nothing is on its way. Throws when that has failed, however often it is asked. */
  async #sent(): Promise<void> {
    if (!this.#sending) return
    await this.#sending.over
    this.#sending.bytes.free()
    this.#sending = undefined
  }

  /** The pieces and what is in memory, as one part in the place of them all. */
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
    // Another relay has begun one in the meantime, or the blob is gone.
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

  /** Nobody will put its parts together, and nobody else knows of them. */
  async #abortForgotten({ id }: MultipartUpload): Promise<void> {
    if ((await this.#around.parts.of(this.#blob)).upload !== id) await this.#abort()
  }

  async #abort(): Promise<void> {
    if (this.#upload !== undefined)
      await this.#around.bucket.abort({ key: this.#key, id: this.#upload }).catch(() => undefined)
  }

  /** In the place of what was held. */
  async #add(part: BlobPart, { pieces, bytes }: Held): Promise<void> {
    const from = pieces[0]?.number ?? part.number
    const added = await this.#around.parts.add(this.#blob, { part, from, after: lastSeen(this.#kept) })
    if (added === 'overtaken') throw new Overtaken()
    this.#kept = [...this.#kept.filter(({ number }) => number < from), part]
    // In this turn: counted twice, the blob would be too long.
    bytes.empty()
  }

  /** Reads pieces back, in front of what is in memory. */
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
    // Whoever has put it into a part deletes it then.
    if (!body) throw (await this.#isOvertaken()) ? new Overtaken() : new S3Fault('PieceMissing', 0)
    for await (const bytes of body) if (!into.push(bytes)) throw busy()
  }

  async #isOvertaken(): Promise<boolean> {
    const { parts } = await this.#around.parts.of(this.#blob)
    return !isNext(parts, lastSeen(this.#kept))
  }

  /** What stays goes with the blob. */
  async #forget(pieces: readonly Pick<BlobPart, 'number' | 'tag'>[]): Promise<void> {
    await Promise.allSettled(pieces.map(piece => this.#around.bucket.delete(this.#keyOf(piece))))
  }

  async #refuse(): Promise<never> {
    await this.keep()
    throw busy()
  }
}
