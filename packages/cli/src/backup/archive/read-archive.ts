// Reads a backup without trusting it: everybody who can write to the place of the backups can forge one.
import { createHash } from 'node:crypto'
import { backupLimits, CodedError, systemCodeOf } from '@postern/protocol'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { type ArchiveEnd, END_PATH, MANIFEST_PATH, type Manifest, readEnd, readManifest, sumsPath } from './manifest.ts'

export type ReadFile = { path: string; bytes: number; content: AsyncIterable<Uint8Array> }

export type ArchiveReader = {
  /** Throws if it is not the wanted one: nothing else is read then. */
  onManifest(manifest: Manifest): void
  /** Reads all of the content. */
  onFile(file: ReadFile): Promise<void>
}

export const refused = (why: string, cause?: unknown): CodedError =>
  new CodedError('backup-refused', { why }, { cause: cause ?? undefined })

/** Resolves when all of it was read and is intact. Throws `backup-refused`, also when it is truncated. */
export async function readArchive(tar: ReadableStream<Uint8Array>, reader: ArchiveReader): Promise<Manifest> {
  return await new Reading(reader).run(tar)
}

class Reading {
  readonly #reader: ArchiveReader
  #manifest: Manifest | undefined
  /** Checksums of the files after the last list, by their paths. */
  readonly #sums = new Map<string, string>()
  #listsRead = 0
  #files = 0
  #bytes = 0
  #end: ArchiveEnd | undefined

  constructor(reader: ArchiveReader) {
    this.#reader = reader
  }

  async run(tar: ReadableStream<Uint8Array>): Promise<Manifest> {
    for await (const entry of entriesOf(tar)) await this.#read(entry)
    if (!this.#manifest || !this.#end || this.#sums.size > 0) throw refused('its end is missing')
    if (this.#end.files !== this.#files || this.#end.bytes !== this.#bytes)
      throw refused('it is damaged: its files are not those that were written')
    return this.#manifest
  }

  async #read({ header, body }: ParsedTarEntry): Promise<void> {
    const file = { path: header.name, bytes: header.size, content: piecesOf(body) }
    if (this.#end) throw refused('it is damaged: there is data after its end')
    if (header.type !== 'file') throw refused(`${JSON.stringify(file.path)} in it is not a regular file`)
    if (!this.#manifest) return await this.#readManifest(file)
    if (file.path === sumsPath(this.#listsRead + 1)) return await this.#compareSums(file)
    if (file.path === END_PATH) return await this.#readEnd(file)
    if (this.#sums.size >= backupLimits.filesPerList) throw refused('it is damaged: a list of checksums is missing')
    await this.#readFile(file)
  }

  async #readManifest(file: ReadFile): Promise<void> {
    if (file.path !== MANIFEST_PATH) throw refused('it is not a backup of Postern')
    const manifest = readManifest(await this.#textOf(file, { isCounted: true }))
    if (manifest === undefined) throw refused('it is not a backup of Postern')
    if (manifest === 'newer') throw refused('a newer version of this program wrote it')
    this.#reader.onManifest(manifest)
    this.#manifest = manifest
  }

  async #readFile(file: ReadFile): Promise<void> {
    if (this.#sums.has(file.path)) throw refused('it is damaged: it contains a file twice')
    const content = this.#counted(file)
    await this.#reader.onFile({ ...file, content })
    // Content that the reader left unread would not be counted.
    for await (const _ of content);
  }

  async #compareSums(file: ReadFile): Promise<void> {
    const lines = [...this.#sums].map(([path, sum]) => `${sum}  ${path}\n`)
    if ((await this.#textOf(file)) !== lines.join('')) throw refused('it is damaged: its checksums do not match')
    this.#sums.clear()
    this.#listsRead += 1
  }

  async #readEnd(file: ReadFile): Promise<void> {
    this.#end = readEnd(await this.#textOf(file))
  }

  async *#counted({ path, content }: ReadFile): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256')
    for await (const piece of content) {
      hash.update(piece)
      this.#bytes += piece.length
      yield piece
    }
    this.#sums.set(path, hash.digest('hex'))
    this.#files += 1
  }

  async #textOf(file: ReadFile, { isCounted }: { isCounted: boolean } = { isCounted: false }): Promise<string> {
    if (file.bytes > backupLimits.listBytesMax) throw refused('it is not a backup of Postern')
    const pieces: Uint8Array[] = []
    for await (const piece of isCounted ? this.#counted(file) : file.content) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }
}

const entriesOf = (tar: ReadableStream<Uint8Array>): AsyncIterable<ParsedTarEntry> =>
  piecesOf(tar.pipeThrough(createTarDecoder({ strict: true })))

/** The libraries' messages about foreign bytes do not help an operator. */
async function* piecesOf<Piece>(stream: ReadableStream<Piece>): AsyncGenerator<Piece> {
  try {
    for await (const piece of stream) yield piece
  } catch (error) {
    if (error instanceof CodedError || systemCodeOf(error) !== '') throw error
    throw refused('it is damaged or incomplete', error)
  }
}
