// Takes a file in as it comes, and lays it down as ciphertext: never whole in memory, never in clear on disk.
import { CodedError, untilAborted } from '@postern/protocol'
import type { ChunkCipher } from './file-cipher.ts'
import { CHUNK_BYTES, chunkNonce } from './file-format.ts'
import type { FilesParts } from './files-parts.ts'
import type { Spool } from './spool.ts'

/** The digest is that of the ciphertext. */
export type Sealed = { size: number; digest: Uint8Array }
type Sealing = { spool: Spool; key: Uint8Array; bytesMax: number; signal: AbortSignal }

export async function sealSource(
  parts: FilesParts,
  source: AsyncIterable<Uint8Array>,
  sealing: Sealing,
): Promise<Sealed> {
  const chunks = new ChunkWriter(parts, sealing)
  let size = 0
  try {
    for await (const piece of untilAborted(source, sealing.signal)) {
      size += piece.length
      if (size > sealing.bytesMax) throw new CodedError('too-large', { what: 'The file', max: sealing.bytesMax })
      await chunks.add(piece)
    }
    return { size, digest: await chunks.end() }
  } finally {
    chunks.giveBack()
  }
}

class ChunkWriter {
  readonly #parts: FilesParts
  readonly #spool: Spool
  readonly #cipher: ChunkCipher
  readonly #hash
  readonly #plain: Uint8Array
  readonly #sealed: Uint8Array
  #held = 0
  #index = 0

  constructor(parts: FilesParts, { spool, key }: Sealing) {
    this.#parts = parts
    this.#spool = spool
    this.#cipher = parts.cipher.withKey(key)
    this.#hash = parts.cipher.sha256()
    this.#plain = parts.buffers.borrow()
    this.#sealed = parts.buffers.borrow()
  }

  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      // A full chunk waits for what follows it: only then it is known not to be the last.
      if (this.#held === CHUNK_BYTES) await this.#write({ isLast: false })
      const taken = bytes.subarray(at, at + CHUNK_BYTES - this.#held)
      this.#plain.set(taken, this.#held)
      this.#held += taken.length
      at += taken.length
    }
  }

  async end(): Promise<Uint8Array> {
    await this.#write({ isLast: true })
    this.#spool.end()
    return this.#hash.digest()
  }

  giveBack(): void {
    this.#parts.buffers.giveBack(this.#plain)
    this.#parts.buffers.giveBack(this.#sealed)
  }

  async #write({ isLast }: { isLast: boolean }): Promise<void> {
    const plaintext = this.#plain.subarray(0, this.#held)
    const length = await this.#cipher.seal(chunkNonce(this.#index, { isLast }), plaintext, this.#sealed)
    const sealed = this.#sealed.subarray(0, length)
    this.#hash.update(sealed)
    await this.#spool.append(sealed)
    this.#index += 1
    this.#held = 0
  }
}
