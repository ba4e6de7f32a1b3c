// Writes a backup as a tar: the manifest, the files with their checksums, and an end mark that reveals truncation.
import { createHash } from 'node:crypto'
import { backupLimits } from '@postern/protocol'
import { createTarPacker, type TarPackController } from 'modern-tar'
import { type ArchiveEnd, END_PATH, endText, MANIFEST_PATH, sumsPath } from './manifest.ts'

/** Each piece is a separate buffer: it may still wait to be written when the next one is requested. */
export type ArchiveFile = { path: string; bytes: number; content: AsyncIterable<Uint8Array> }

export type ArchiveParts = {
  manifest: string
  files: AsyncIterable<ArchiveFile>
  /** The number of file bytes written so far. */
  onBytes: (bytes: number) => void
}

/** `write` receives the tar, and has written all of it when it resolves. A failure on either side fails both. */
export async function writeArchive(
  parts: ArchiveParts,
  write: (tar: ReadableStream<Uint8Array>) => Promise<void>,
): Promise<ArchiveEnd> {
  const { readable, controller } = createTarPacker()
  const packing = new Packing(controller, parts).run().catch((error: unknown) => {
    controller.error(error)
    throw error
  })
  const [packed, written] = await Promise.allSettled([packing, write(readable)])
  if (written.status === 'rejected') throw written.reason
  if (packed.status === 'rejected') throw packed.reason
  return packed.value
}

class Packing {
  readonly #controller: TarPackController
  readonly #parts: ArchiveParts
  #sums: string[] = []
  #sumsWritten = 0
  #files = 0
  #bytes = 0

  constructor(controller: TarPackController, parts: ArchiveParts) {
    this.#controller = controller
    this.#parts = parts
  }

  async run(): Promise<ArchiveEnd> {
    const { manifest, files } = this.#parts
    await this.#addFile(textFile(MANIFEST_PATH, manifest))
    for await (const file of files) {
      await this.#addFile(file)
      if (this.#sums.length >= backupLimits.filesPerList) await this.#addSums()
    }
    if (this.#sums.length > 0) await this.#addSums()
    const end: ArchiveEnd = { files: this.#files, bytes: this.#bytes }
    await this.#add(textFile(END_PATH, endText(end)))
    this.#controller.finalize()
    return end
  }

  async #addFile(file: ArchiveFile): Promise<void> {
    this.#sums.push(`${await this.#add(file, bytes => this.#count(bytes))}  ${file.path}`)
    this.#files += 1
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#parts.onBytes(this.#bytes)
  }

  async #addSums(): Promise<void> {
    this.#sumsWritten += 1
    await this.#add(textFile(sumsPath(this.#sumsWritten), `${this.#sums.join('\n')}\n`))
    this.#sums = []
  }

  /** Returns the checksum. */
  async #add({ path, bytes, content }: ArchiveFile, onBytes: (bytes: number) => void = () => {}): Promise<string> {
    const hash = createHash('sha256')
    const writer = this.#controller.add({ name: path, size: bytes, type: 'file', mode: 0o600 }).getWriter()
    for await (const piece of content) {
      hash.update(piece)
      await writer.write(piece)
      onBytes(piece.length)
    }
    await writer.close()
    return hash.digest('hex')
  }
}

function textFile(path: string, text: string): ArchiveFile {
  const content = Buffer.from(text)
  return { path, bytes: content.length, content: once(content) }
}

async function* once(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece
}
