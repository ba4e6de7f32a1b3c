// Seals a file as it arrives and stores the ciphertext: never whole in memory, never in clear on disk.
import { CodedError, untilAborted } from '@postern/protocol'
import type { ChunkCipher, RunningHash } from '../cipher/file-cipher.ts'
import { CHUNK_BYTES, chunkNonce, STRETCH_BYTES } from '../cipher/file-format.ts'
import type { FilesContext } from '../files-context.ts'
import type { Spool } from './spool.ts'

/** The digest is that of the ciphertext. */
export type SealResult = { size: number; digest: Uint8Array }
type Sealing = { spool: Spool; key: Uint8Array; bytesMax: number; signal: AbortSignal }

export async function sealSource(
  parts: FilesContext,
  source: AsyncIterable<Uint8Array>,
  sealing: Sealing,
): Promise<SealResult> {
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

/**
 * Seals chunks at their place in a stretch, and passes stretches to the spool: one is written while the next is sealed.
 */
class ChunkWriter {
  readonly #parts: FilesContext
  readonly #spool: Spool
  readonly #cipher: ChunkCipher
  readonly #hash: RunningHash
  #stretch: Uint8Array | undefined
  /** At the beginning of the stretch. */
  #sealedBytes = 0
  /** Bytes of the chunk after it, still in clear. */
  #heldBytes = 0
  #index = 0

  constructor(parts: FilesContext, { spool, key }: Sealing) {
    this.#parts = parts
    this.#spool = spool
    this.#cipher = parts.cipher.withKey(key)
    this.#hash = parts.cipher.sha256()
  }

  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      // A full chunk waits for the next byte: only then it is known not to be the last.
      if (this.#heldBytes === CHUNK_BYTES) await this.#sealHeld({ isLast: false })
      const left = bytes.length - at
      // Most are sealed from where they came, without a copy.
      if (this.#heldBytes === 0 && left > CHUNK_BYTES) {
        await this.#seal(bytes.subarray(at, at + CHUNK_BYTES), { isLast: false })
        at += CHUNK_BYTES
      } else at += this.#hold(bytes.subarray(at))
    }
    // Sealed chunks do not wait for the rest of their stretch: the source may pause now, and an upload follows.
    await this.#append()
  }

  async end(): Promise<Uint8Array> {
    await this.#sealHeld({ isLast: true })
    await this.#append()
    await this.#spool.end()
    return this.#hash.digest()
  }

  giveBack(): void {
    if (this.#stretch) this.#parts.buffers.giveBack(this.#stretch)
    this.#stretch = undefined
  }

  /** Returns how many of the bytes it has copied. */
  #hold(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, CHUNK_BYTES - this.#heldBytes)
    this.#place().set(taken, this.#heldBytes)
    this.#heldBytes += taken.length
    return taken.length
  }

  async #sealHeld(place: { isLast: boolean }): Promise<void> {
    const held = this.#place().subarray(0, this.#heldBytes)
    this.#heldBytes = 0
    await this.#seal(held, place)
  }

  async #seal(plaintext: Uint8Array, place: { isLast: boolean }): Promise<void> {
    this.#sealedBytes += await this.#cipher.seal(chunkNonce(this.#index, place), plaintext, this.#place())
    this.#index += 1
    if (this.#sealedBytes === STRETCH_BYTES) await this.#append()
  }

  /** The place of the next chunk. */
  #place(): Uint8Array {
    this.#stretch ??= this.#parts.buffers.borrow()
    return this.#stretch.subarray(this.#sealedBytes)
  }

  async #append(): Promise<void> {
    const full = this.#stretch
    const sealedBytes = this.#sealedBytes
    if (!full || sealedBytes === 0) return
    this.#hash.update(full.subarray(0, sealedBytes))
    this.#stretch = undefined
    this.#sealedBytes = 0
    // The incomplete chunk moves to the next stretch.
    if (this.#heldBytes > 0) this.#place().set(full.subarray(sealedBytes, sealedBytes + this.#heldBytes))
    await this.#spool.append(full, sealedBytes)
  }
}
