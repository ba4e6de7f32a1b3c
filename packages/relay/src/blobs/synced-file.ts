// A file that is synced while it is written, so that little is left to sync at the end of a large upload.
import type { FileHandle } from 'node:fs/promises'
import { relayFixedLimits } from '@postern/protocol'

export class SyncedFile {
  readonly #handle: FileHandle
  /** Where this piece began: everything before it is on disk. */
  readonly #from: number
  readonly #isShared: boolean
  #length: number
  /** The length that is on disk or being synced. */
  #syncedLength: number
  #syncing: Promise<void> | undefined
  #failed: { cause: unknown } | undefined

  /** `isShared`: other relays also write to the file and note how much of it counts. */
  constructor(handle: FileHandle, { length, isShared }: { length: number; isShared: boolean }) {
    this.#handle = handle
    this.#isShared = isShared
    this.#from = length
    this.#length = length
    this.#syncedLength = length
  }

  get length(): number {
    return this.#length
  }

  /**
   * Promises nothing: until `sync`, a power cut may lose the bytes.
   * The sender has received no answer and still has them.
   */
  async write(bytes: Uint8Array): Promise<void> {
    this.#throwFailed()
    for (let written = 0; written < bytes.length; ) {
      const left = bytes.length - written
      written += (await this.#handle.write(bytes, written, left, this.#length + written)).bytesWritten
    }
    this.#length += bytes.length
    if (this.#length - this.#syncedLength >= relayFixedLimits.blobSyncAfterBytes) this.#syncing ??= this.#syncAhead()
  }

  /** Resolves when all written bytes are on disk. */
  async sync(): Promise<void> {
    await this.#syncing
    this.#throwFailed()
    await this.#asked(this.#handle.sync())
    this.#throwFailed()
  }

  /**
   * Call when writing is over, successfully or not. A disk reports a failed sync once, and the next sync succeeds. So
   * the bytes of this piece are truncated and sent again: otherwise a complete blob could lack bytes. A shared file is
   * not truncated, because another relay may have written bytes that count.
   */
  async close(): Promise<void> {
    await this.#syncing
    try {
      if (this.#failed && !this.#isShared) await this.#handle.truncate(this.#from)
    } finally {
      await this.#handle.close()
    }
  }

  async #syncAhead(): Promise<void> {
    this.#syncedLength = this.#length
    await this.#asked(this.#handle.datasync())
    this.#syncing = undefined
  }

  async #asked(sync: Promise<void>): Promise<void> {
    try {
      await sync
    } catch (cause) {
      this.#failed ??= { cause }
    }
  }

  #throwFailed(): void {
    if (this.#failed) throw this.#failed.cause
  }
}
