// A file that is synced while it is written: at the end of a large upload little is left to wait for.
import type { FileHandle } from 'node:fs/promises'
import { relayFixedLimits } from '@postern/protocol'

export class SyncedFile {
  readonly #handle: FileHandle
  /** Where this piece began: all before it is on the disk. */
  readonly #from: number
  readonly #isShared: boolean
  #length: number
  /** Asked to be on the disk, or there. */
  #syncedLength: number
  #syncing: Promise<void> | undefined
  #failed: { cause: unknown } | undefined

  /** `isShared`: others write to it, too, and note how much of it counts. */
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

  /** Promises nothing: until `sync` a power cut may take the bytes, and the sender, who was told nothing, still has them. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#throwFailed()
    for (let written = 0; written < bytes.length; ) {
      const left = bytes.length - written
      written += (await this.#handle.write(bytes, written, left, this.#length + written)).bytesWritten
    }
    this.#length += bytes.length
    if (this.#length - this.#syncedLength >= relayFixedLimits.blobSyncAfterBytes) this.#syncing ??= this.#syncAhead()
  }

  /** All that was written is on the disk when it resolves. */
  async sync(): Promise<void> {
    await this.#syncing
    this.#throwFailed()
    await this.#asked(this.#handle.sync())
    this.#throwFailed()
  }

  /**
   * When nothing is written any more, however it ended. A disk tells once that it has not kept something, and the next sync
   * says that all is well. So the bytes of this piece go then, and are sent again: else a blob would be complete of which
   * the next read finds only a part. Of a shared file nothing goes: what another has written there meanwhile may count.
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
