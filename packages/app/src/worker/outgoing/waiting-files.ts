// The bytes of files in the queue: encrypted on the disk before the person sees that the file is on its way.
import type { Client } from '@postern/core'
import { appLimits, inBackground, isCoded, type Log } from '@postern/protocol'
import { AppError } from '../app-error.ts'

type Parts = { client: Client; log: Log }

/** A file of the page, or one that is read piece by piece. */
export type FileSource = Blob | { size: number; read: () => AsyncIterable<Uint8Array> }

export class WaitingFiles {
  readonly #parts: Parts
  readonly #kept: Set<string>
  readonly #keeping = new Map<string, AbortController>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#kept = new Set(parts.client.files.stowedNames())
  }

  /** Removes leftovers of a killed worker for messages that are gone. */
  sweep(isQueued: (key: string) => boolean): void {
    const { log } = this.#parts
    for (const key of this.#kept)
      if (!isQueued(key)) inBackground(this.drop(key), { what: 'a file that nobody sends was not removed', log })
  }

  has(key: string): boolean {
    return this.#kept.has(key)
  }

  isKeeping(key: string): boolean {
    return this.#keeping.has(key)
  }

  /** Counts as stored from the call on. Throws `storage-full` and `file-lost`: nothing is left then. */
  async keep(key: string, bytes: FileSource): Promise<void> {
    const ending = new AbortController()
    this.#keeping.set(key, ending)
    try {
      const pieces = bytes instanceof Blob ? piecesOf(bytes) : bytes.read()
      await this.#parts.client.files.stow(key, pieces, { bytesHint: bytes.size, signal: ending.signal })
      this.#kept.add(key)
    } finally {
      this.#keeping.delete(key)
    }
  }

  /** Throws `file-lost` when it is not here, for example on a device to which the account has moved. */
  async *read(key: string): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#parts.client.files.readStowed(key)
    } catch (error) {
      throw isCoded(error, 'file-gone') ? new AppError('file-lost') : error
    }
  }

  async drop(key: string): Promise<void> {
    this.#keeping.get(key)?.abort(new AppError('outgoing-unknown'))
    await this.#parts.client.files.dropStowed(key)
    this.#kept.delete(key)
  }
}

/** A file that its owner has changed or deleted since can no longer be read. */
async function* piecesOf(bytes: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.size; at += appLimits.filePieceBytes)
    yield await readPiece(bytes.slice(at, at + appLimits.filePieceBytes))
}

async function readPiece(piece: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await piece.arrayBuffer())
  } catch {
    throw new AppError('file-lost')
  }
}
