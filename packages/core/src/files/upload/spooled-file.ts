// A file to be sent: sealed into a spool, uploaded, and kept until the sender releases it.
import { KEY_BYTES } from '@postern/mls'
import { type BlobId, CodedError, contentLimits, unlessAborted } from '@postern/protocol'
import { readSealed } from '../download/read-sealed.ts'
import type { FilesContext, StoredFile } from '../files-context.ts'
import { type SealResult, sealSource } from './seal-source.ts'
import type { Spool, SpoolOptions } from './spool.ts'
import { uploadSpool } from './upload-spool.ts'

export interface FileSpool {
  readonly size: number
  /** SHA-256 of the file itself. Few callers need it, so it is computed on request. */
  plainDigest(): Promise<Uint8Array>
  /** The file, from its ciphertext on disk. */
  read(): AsyncIterable<Uint8Array>
  /** Resolves when the relay has all of it. The signal ends the wait, not the upload. */
  uploaded(signal?: AbortSignal): Promise<StoredFile>
  /** Nothing uses it any more. A file that no message refers to is removed. */
  release(): Promise<void>
}

type SpoolGiven = Pick<SpoolOptions, 'onSent' | 'key' | 'limits'> & {
  spool: Spool
  bytesMax: number
  onReleased: (file: SpooledFile) => void
}

export class SpooledFile implements FileSpool {
  readonly #parts: FilesContext
  readonly #spool: Spool
  readonly #key: Uint8Array
  readonly #bytesMax: number
  readonly #stop = new AbortController()
  readonly #onReleased: (file: SpooledFile) => void
  readonly #onSent: SpoolOptions['onSent']
  readonly #limits: SpoolOptions['limits']
  #sealed: SealResult | undefined
  #uploading: Promise<BlobId> | undefined
  #stored: Promise<StoredFile> | undefined
  #released: Promise<void> | undefined
  #blob: BlobId | undefined

  constructor(parts: FilesContext, given: SpoolGiven) {
    this.#parts = parts
    this.#spool = given.spool
    this.#bytesMax = given.bytesMax
    this.#onReleased = given.onReleased
    this.#onSent = given.onSent
    this.#limits = given.limits
    this.#key = given.key ?? parts.randomBytes(KEY_BYTES)
  }

  /** Reads the source. A failure of the source, the disk or the upload ends it and leaves nothing. */
  async fill(source: AsyncIterable<Uint8Array>, uploads: SpoolOptions['uploads']): Promise<void> {
    try {
      if (uploads === 'now') this.#upload().catch((error: unknown) => this.#stop.abort(error))
      const sealing = { spool: this.#spool, key: this.#key, bytesMax: this.#bytesMax, signal: this.#stop.signal }
      this.#sealed = await sealSource(this.#parts, source, sealing)
    } catch (error) {
      await this.release()
      throw error
    }
  }

  get size(): number {
    return this.#whole().size
  }

  async plainDigest(): Promise<Uint8Array> {
    const hash = this.#parts.cipher.sha256()
    const reading = { key: this.#key, size: this.size, pieces: 'brief' as const }
    for await (const piece of readSealed(this.#parts, this.#spool, reading)) hash.update(piece)
    return hash.digest()
  }

  read(): AsyncIterable<Uint8Array> {
    return readSealed(this.#parts, this.#spool, { key: this.#key, size: this.size, pieces: 'kept' })
  }

  async uploaded(signal?: AbortSignal): Promise<StoredFile> {
    this.#stored ??= this.#store()
    return await (signal ? unlessAborted(this.#stored, signal) : this.#stored)
  }

  async release(): Promise<void> {
    this.#released ??= this.#release()
    await this.#released
  }

  #upload(): Promise<BlobId> {
    this.#uploading ??= uploadSpool(this.#parts, {
      spool: this.#spool,
      bytesMax: this.#bytesMax,
      signal: this.#stop.signal,
      onSent: this.#onSent,
      limits: this.#limits,
      onBegun: blob => {
        this.#blob = blob
        this.#parts.inHand.add(blob)
      },
    })
    return this.#uploading
  }

  async #store(): Promise<StoredFile> {
    const { size, digest } = this.#whole()
    const blob = await this.#upload()
    await this.#spool.part.keep({ blob, digest })
    return { blob, key: this.#key, digest, size }
  }

  async #release(): Promise<void> {
    this.#stop.abort(new CodedError('stopping'))
    await Promise.allSettled([this.#uploading, this.#stored])
    await this.#spool.release()
    this.#onReleased(this)
    if (this.#blob === undefined) return
    this.#parts.inHand.delete(this.#blob)
    this.#parts.wakeChores()
  }

  #whole(): SealResult {
    if (!this.#sealed) throw new TypeError('a file was used before it was taken')
    return this.#sealed
  }
}

/** The largest size of a file, given its hint. */
export const bytesMaxOf = ({ bytesHint }: SpoolOptions): number =>
  Math.min(contentLimits.fileBytesMax, bytesHint ?? contentLimits.fileBytesMax)
