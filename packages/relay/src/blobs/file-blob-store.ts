// Blobs as files, one file per blob, in folders named by the first two letters.
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BlobId, CodedError, relayFixedLimits, systemCodeOf, systemFault } from '@postern/protocol'
import { syncDirectory } from '../store/sync-directory.ts'
import { type AppendResult, type BlobStore, type PieceBounds, refusalOf } from './blob-store.ts'
import type { SharedLengths } from './shared-lengths.ts'
import { SyncedFile } from './synced-file.ts'

/** `lengths`: for a directory that other relays also write to. `openFile`: for tests of a failing disk. */
type FileOptions = { lengths?: SharedLengths | undefined; openFile?: typeof open }

/** Does not truncate: another relay may just have created the file and written to it. */
const CREATE = constants.O_RDWR | constants.O_CREAT

export class FileBlobStore implements BlobStore {
  readonly #directory: string
  readonly #lengths: SharedLengths | undefined
  readonly #openFile: typeof open
  /** Folders whose names are durable. */
  readonly #safeFolders = new Set<string>()

  constructor(directory: string, { lengths, openFile = open }: FileOptions = {}) {
    this.#directory = directory
    this.#lengths = lengths
    this.#openFile = openFile
  }

  async length(blob: BlobId): Promise<number> {
    if (this.#lengths) return await this.#lengths.of(blob)
    const found = await absentAsUndefined(stat(this.#pathOf(blob)))
    return found?.size ?? 0
  }

  async append(blob: BlobId, body: AsyncIterable<Uint8Array>, at: PieceBounds): Promise<AppendResult> {
    const chunks = body[Symbol.asyncIterator]()
    try {
      return await this.#append(blob, chunks, at)
    } catch (cause) {
      throw systemFault(cause)
    } finally {
      await chunks.return?.()
    }
  }

  /** Bytes that a killed process wrote may not be on disk yet: appending nothing syncs them. */
  async complete(blob: BlobId, length: number): Promise<'complete' | 'overtaken'> {
    if (this.#lengths) return (await this.#lengths.of(blob)) === length ? 'complete' : 'overtaken'
    const room = { spend: () => undefined }
    await this.append(blob, nothing(), { offset: length, lengthMax: length, isLast: true, room })
    return 'complete'
  }

  async read(blob: BlobId, range: { start: number; end: number }): Promise<AsyncIterable<Uint8Array> | undefined> {
    const handle = await absentAsUndefined(this.#openFile(this.#pathOf(blob), 'r'))
    return handle && readRange(handle, range)
  }

  async delete(blob: BlobId): Promise<void> {
    await absentAsUndefined(unlink(this.#pathOf(blob)))
  }

  close(): void {}

  #pathOf(blob: BlobId): string {
    return join(this.#directory, blob.slice(0, 2), blob)
  }

  async #append(blob: BlobId, chunks: AsyncIterator<Uint8Array>, at: PieceBounds): Promise<AppendResult> {
    const note = this.#lengths ? await this.#lengths.begin(blob, at.offset) : async () => 'added'
    if (!note) return { kind: 'overtaken', length: await this.length(blob) }
    const path = this.#pathOf(blob)
    const handle = (await absentAsUndefined(this.#openFile(path, 'r+'))) ?? (await this.#create(path))
    const file = new SyncedFile(handle, { length: at.offset, isShared: this.#lengths !== undefined })
    try {
      const written = await writeAll(file, chunks, at)
      await file.sync()
      if ((await note(written.length)) === 'overtaken') return { kind: 'overtaken', length: await this.length(blob) }
      if (written.refused) throw written.refused
      return written
    } finally {
      await file.close()
    }
  }

  async #create(path: string): Promise<FileHandle> {
    const folder = dirname(path)
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) this.#safeFolders.delete(folder)
    const handle = await this.#openFile(path, CREATE, 0o600)
    try {
      await this.#syncNames(folder)
      return handle
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Without this, a power cut can lose the name of a synced file, or the name of its folder. */
  async #syncNames(folder: string): Promise<void> {
    await syncDirectory(folder)
    if (this.#safeFolders.has(folder)) return
    await syncDirectory(this.#directory)
    await syncDirectory(dirname(this.#directory))
    this.#safeFolders.add(folder)
  }
}

/** Bytes from before the break are kept, so the next upload resumes there. */
async function writeAll(
  file: SyncedFile,
  chunks: AsyncIterator<Uint8Array>,
  { lengthMax, room }: PieceBounds,
): Promise<AppendResult & { refused?: CodedError | undefined }> {
  for (;;) {
    const next = await chunks.next().catch(() => undefined)
    const { length } = file
    if (!next || next.done) return { length, kind: next ? 'whole' : 'broken' }
    const refused = refusalOf(next.value.length, { length, lengthMax, room })
    if (refused) return { length, kind: 'broken', refused }
    await file.write(next.value)
  }
}

/** Reads into one buffer: a stream would allocate memory for every piece. */
async function* readRange(
  handle: FileHandle,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(Math.min(relayFixedLimits.blobReadBytes, end + 1 - start))
  try {
    for (let at = start; at <= end; ) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end + 1 - at), at)
      if (bytesRead === 0) throw new CodedError('blob-unknown')
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function absentAsUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
