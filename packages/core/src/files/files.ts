// The files of a client: spooled and uploaded, fetched and read. Outside this process they are always ciphertext.
import { type BlobId, CodedError, clientLimits, isCoded } from '@postern/protocol'
import { ChunkBuffers } from './cipher/chunk-buffers.ts'
import { type FileRange, sealedLength, wholeFile } from './cipher/file-format.ts'
import { fetchBlob } from './download/fetch-blob.ts'
import { readSealed } from './download/read-sealed.ts'
import { type FetchPatience, SharedFetches } from './download/shared-fetches.ts'
import { noteDeadFile } from './file-records.ts'
import type { FilesContext, StoredFile } from './files-context.ts'
import { sweepFiles } from './sweep-files.ts'
import { LocalFiles } from './upload/local-files.ts'
import { Spool, type SpoolOptions } from './upload/spool.ts'
import { bytesMaxOf, type FileSpool, SpooledFile } from './upload/spooled-file.ts'
import type { VaultFile } from './vault/file-vault.ts'

export type { StoredFile } from './files-context.ts'
export type { SpoolLimits } from './upload/spool.ts'
export type { FileSpool } from './upload/spooled-file.ts'

export interface OpenedFile {
  /**
   * The file or a part of it. Bytes that have changed on disk are fetched again; `file-damaged` if that does not help.
   */
  read(range?: FileRange): AsyncIterable<Uint8Array>
  /** The same in less memory: each piece is valid only until the next one is requested. */
  readBriefly(range?: FileRange): AsyncIterable<Uint8Array>
}

type Reading = { range?: FileRange | undefined; pieces: 'kept' | 'brief'; within: FetchPatience }

export class Files {
  readonly #parts: FilesContext
  readonly #fetches: SharedFetches
  readonly stowed: LocalFiles
  readonly #spooled = new Set<SpooledFile>()
  #isStopped = false

  constructor(parts: Omit<FilesContext, 'buffers' | 'inHand'>) {
    this.#parts = { ...parts, buffers: new ChunkBuffers(), inHand: new Set() }
    this.#fetches = new SharedFetches(this.#parts)
    this.stowed = new LocalFiles(this.#parts)
  }

  /**
   * Resolves when the source has ended.
   * Throws `too-large`, `storage-full` and the errors of the source; nothing is left then.
   */
  async spool(source: AsyncIterable<Uint8Array>, options: SpoolOptions): Promise<FileSpool> {
    this.#assertRunning()
    const spool = new Spool(await this.#parts.vault.createPart(), this.#parts.buffers)
    const onReleased = (file: SpooledFile) => void this.#spooled.delete(file)
    const file = new SpooledFile(this.#parts, { ...options, spool, bytesMax: bytesMaxOf(options), onReleased })
    this.#spooled.add(file)
    // The client may have been stopped while the part was created.
    if (this.#isStopped) await file.release()
    await file.fill(source, options.uploads)
    return file
  }

  /** Uploads and fetches a file, and proves that it is the same. Then it is removed like one that was never sent. */
  async tryOut(source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const spooled = await this.spool(source, { uploads: 'now' })
    try {
      const stored = await spooled.uploaded(signal)
      await fetchBlob(this.#parts, stored, { signal, moved: () => {} })
    } finally {
      await spooled.release()
    }
  }

  /**
   * Resolves when all of it is here and has proven to be what was sent. Otherwise throws `file-gone`, `file-damaged`,
   * or `relay-unreachable` when nothing has arrived for the given time. The signal ends the wait, here and during
   * reads.
   */
  async open(file: StoredFile, within: FetchPatience): Promise<OpenedFile> {
    await this.#present(file, within)
    return {
      read: range => this.#read(file, { range, pieces: 'kept', within }),
      readBriefly: range => this.#read(file, { range, pieces: 'brief', within }),
    }
  }

  /** The size of the files here that can be fetched again. */
  get keptBytes(): number {
    return this.#parts.vault.keptBytes
  }

  /** Each of them. */
  kept(): Map<BlobId, number> {
    return this.#parts.vault.kept()
  }

  /** It is fetched again when somebody opens it. Its readers read it to its end. */
  async dropKept(blob: BlobId): Promise<void> {
    await this.#parts.vault.remove(blob)
  }

  /** A blob of this account that no message here names: the relay deletes it as soon as it can be reached. */
  async discardBlob(blob: BlobId): Promise<void> {
    await this.#parts.store.write(database => noteDeadFile(database, blob, 'everywhere'))
    this.#parts.wakeChores()
  }

  /** Removes leftovers; asks the relay only when there are some. */
  async tidy(): Promise<void> {
    if (this.#isStopped) return
    await this.stowed.sweep()
    await sweepFiles(this.#parts)
  }

  /** Ends operations in flight and removes their files. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.allSettled([this.stowed.stop(), ...[...this.#spooled].map(file => file.release())])
    await this.#fetches.stop()
    this.#parts.blobs.close()
  }

  async #present(file: StoredFile, within: FetchPatience): Promise<void> {
    this.#assertRunning()
    const length = this.#parts.vault.lengthOf(file)
    if (length === sealedLength(file.size)) return
    // A power cut may have left the name of a file whose bytes were not written yet.
    if (length !== undefined) await this.#parts.vault.remove(file.blob)
    await this.#fetches.want(file, within)
  }

  /**
   * Bytes that have changed on disk are fetched again. Reading continues after the last byte that was returned: the
   * earlier ones were proven.
   */
  async *#read(
    file: StoredFile,
    { range = wholeFile(file.size), pieces, within }: Reading,
  ): AsyncGenerator<Uint8Array> {
    let { start } = range
    for (let tries = 1; ; tries++) {
      const sealed = await this.#openKept(file, within)
      try {
        const wanted = { key: file.key, size: file.size, range: { ...range, start }, pieces }
        for await (const piece of readSealed(this.#parts, sealed, wanted)) {
          start += piece.length
          yield piece
        }
        return
      } catch (error) {
        if (!isCoded(error, 'file-damaged')) throw error
        await this.#parts.vault.remove(file.blob)
        if (tries === clientLimits.fileReadTriesMax) throw error
      } finally {
        await sealed.close()
      }
    }
  }

  /** It may have been evicted since, or somebody has emptied the folder: then it is fetched again. */
  async #openKept(file: StoredFile, within: FetchPatience): Promise<VaultFile> {
    for (let tries = 0; tries < clientLimits.fileOpenTriesMax; tries++) {
      await this.#present(file, within)
      const sealed = await this.#parts.vault.open(file)
      if (sealed) return sealed
    }
    throw new CodedError('storage-full')
  }

  #assertRunning(): void {
    if (this.#isStopped) throw new CodedError('stopping')
  }
}
