// The files of a client: taken in and uploaded, fetched and read; always ciphertext outside this process.
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
  /** The file or a part of it. What has changed on disk is fetched again; `file-damaged` when that does not help. */
  read(range?: FileRange): AsyncIterable<Uint8Array>
  /** The same in less memory: each piece holds only until the next one is asked for. */
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

  /** Resolves when the source has ended. Throws `too-large`, `storage-full` and what the source throws: nothing is left then. */
  async spool(source: AsyncIterable<Uint8Array>, options: SpoolOptions): Promise<FileSpool> {
    this.#assertRunning()
    const spool = new Spool(await this.#parts.vault.createPart(), this.#parts.buffers)
    const onReleased = (file: SpooledFile) => void this.#spooled.delete(file)
    const file = new SpooledFile(this.#parts, { ...options, spool, bytesMax: bytesMaxOf(options), onReleased })
    this.#spooled.add(file)
    // It may have been stopped while the part was made.
    if (this.#isStopped) await file.release()
    await file.fill(source, options.uploads)
    return file
  }

  /** A file to the relay and back, proven to be the same. Nobody keeps it: it is cleared away as one that was never sent. */
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
   * Resolves when all of it is here and has proven to be what was sent; else `file-gone`, `file-damaged`, or
   * `relay-unreachable` when nothing has come for the time given. The signal ends the wait, here and when it is read.
   */
  async open(file: StoredFile, within: FetchPatience): Promise<OpenedFile> {
    await this.#present(file, within)
    return {
      read: range => this.#read(file, { range, pieces: 'kept', within }),
      readBriefly: range => this.#read(file, { range, pieces: 'brief', within }),
    }
  }

  /** How much of what can be fetched again lies here. */
  get keptBytes(): number {
    return this.#parts.vault.keptBytes
  }

  /** A blob of this account that no message here names: the relay deletes it, as soon as it can be asked. */
  async discardBlob(blob: BlobId): Promise<void> {
    await this.#parts.store.write(database => noteDeadFile(database, blob, 'everywhere'))
    this.#parts.wakeChores()
  }

  /** Clears leftovers away; asks the relay only when there are some. */
  async tidy(): Promise<void> {
    if (this.#isStopped) return
    await this.stowed.sweep()
    await sweepFiles(this.#parts)
  }

  /** Ends what is under way, and clears its files away. */
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

  /** What has changed on disk is fetched again, and read on behind the last byte that was given: those were proven. */
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

  /** It may have made room for others since it was there, or somebody has emptied the folder: then it is fetched again. */
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
