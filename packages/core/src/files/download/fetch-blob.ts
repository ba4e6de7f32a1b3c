// Fetches a file's ciphertext from the relay into the vault.
// It is kept only once all of it has proven to be what was sent.
import { CodedError, equalBytes, isCoded, untilAborted } from '@postern/protocol'
import type { ChunkCipher, RunningHash } from '../cipher/file-cipher.ts'
import {
  type ChunkPlace,
  chunksOf,
  SEALED_CHUNK_BYTES,
  STRETCH_BYTES,
  sealedLength,
  wholeFile,
} from '../cipher/file-format.ts'
import type { FilesContext, StoredFile } from '../files-context.ts'
import { StallGuard, TransferRetry } from '../transport/transfer-retry.ts'
import type { VaultPart } from '../vault/file-vault.ts'

type Fetching = { signal: AbortSignal; moved: () => void }

export async function fetchBlob(parts: FilesContext, file: StoredFile, { signal, moved }: Fetching): Promise<void> {
  const part = await parts.vault.createPart()
  const intake = new Intake(parts, { part, file })
  try {
    const patience = new TransferRetry(parts, signal)
    while (!intake.isWhole) {
      try {
        await receive(parts, { file, intake, signal, patience, moved })
      } catch (error) {
        if (isCoded(error, 'blob-unknown')) throw new CodedError('file-gone', {}, { cause: error })
        await patience.afterFailure(error)
      }
    }
    await intake.end()
    await part.keep(file)
  } finally {
    await intake.giveBack()
    await part.release()
  }
}

type Receiving = Fetching & { file: StoredFile; intake: Intake; patience: TransferRetry }

async function receive(parts: FilesContext, { file, intake, signal, patience, moved }: Receiving): Promise<void> {
  const guard = new StallGuard(parts.clock, signal)
  try {
    const from = intake.gotBytes
    const { start, total, body } = await parts.blobs.download(file.blob, { from, signal: guard.signal })
    if (total !== undefined && total !== sealedLength(file.size)) throw new CodedError('file-damaged')
    // A proxy in between may not support ranges, and send everything again.
    if (start !== from) intake.startAnew()
    if (start !== intake.gotBytes) throw new CodedError('relay-broken', { what: 'another range than was asked for' })
    for await (const bytes of untilAborted(body, guard.signal)) {
      guard.touch()
      await intake.add(bytes)
      // Repeated bytes are no progress: a server that sends the same beginning forever is given up.
      if (!intake.isFurther()) continue
      patience.arrived()
      moved()
    }
    // A server that claims to have all of it and sends less is asked again, but not forever.
    if (!intake.isWhole) throw new CodedError('relay-unreachable')
  } finally {
    guard.rest()
  }
}

/** Collects chunks, proves each and writes them in stretches. Chunks from before a lost connection are kept. */
class Intake {
  readonly #parts: FilesContext
  readonly #part: VaultPart
  readonly #file: StoredFile
  readonly #cipher: ChunkCipher
  #stretch: Uint8Array
  /** Written to disk meanwhile. */
  #spare: Uint8Array
  #writing: Promise<void> | undefined
  #hash: RunningHash
  #chunks: Generator<ChunkPlace>
  #chunk: ChunkPlace | undefined
  /** At the beginning of the stretch. */
  #provenBytes = 0
  /** Bytes of the chunk after it. */
  #heldBytes = 0
  #furthestBytes = 0

  constructor(parts: FilesContext, { part, file }: { part: VaultPart; file: StoredFile }) {
    this.#parts = parts
    this.#part = part
    this.#file = file
    this.#cipher = parts.cipher.withKey(file.key)
    this.#stretch = parts.buffers.borrow()
    this.#spare = parts.buffers.borrow()
    this.#hash = parts.cipher.sha256()
    this.#chunks = chunksOf(file.size, wholeFile(file.size))
    this.#next()
  }

  startAnew(): void {
    this.#hash = this.#parts.cipher.sha256()
    this.#chunks = chunksOf(this.#file.size, wholeFile(this.#file.size))
    this.#provenBytes = 0
    this.#heldBytes = 0
    this.#next()
  }

  get isWhole(): boolean {
    return this.#chunk === undefined
  }

  get gotBytes(): number {
    return this.#chunk ? this.#chunk.sealedAt + this.#heldBytes : sealedLength(this.#file.size)
  }

  /** Further than ever before. */
  isFurther(): boolean {
    if (this.gotBytes <= this.#furthestBytes) return false
    this.#furthestBytes = this.gotBytes
    return true
  }

  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (!this.#chunk) throw new CodedError('file-damaged')
      const taken = bytes.subarray(at, at + this.#chunk.sealedBytes - this.#heldBytes)
      this.#stretch.set(taken, this.#provenBytes + this.#heldBytes)
      this.#heldBytes += taken.length
      at += taken.length
      if (this.#heldBytes === this.#chunk.sealedBytes) await this.#prove(this.#chunk)
    }
  }

  async end(): Promise<void> {
    await this.#writing
    if (!equalBytes(this.#hash.digest(), this.#file.digest)) throw new CodedError('file-damaged')
  }

  async giveBack(): Promise<void> {
    await this.#writing?.catch(() => undefined)
    this.#parts.buffers.giveBack(this.#stretch)
    this.#parts.buffers.giveBack(this.#spare)
  }

  async #prove({ nonce, sealedAt, sealedBytes }: ChunkPlace): Promise<void> {
    const end = this.#provenBytes + sealedBytes
    if (!(await this.#cipher.verify(nonce, this.#stretch.subarray(this.#provenBytes, end))))
      throw new CodedError('file-damaged')
    this.#provenBytes = end
    this.#heldBytes = 0
    this.#next()
    if (this.isWhole || end + SEALED_CHUNK_BYTES > STRETCH_BYTES) await this.#write(sealedAt + sealedBytes - end)
  }

  async #write(at: number): Promise<void> {
    const proven = this.#stretch.subarray(0, this.#provenBytes)
    this.#hash.update(proven)
    await this.#writing
    this.#writing = this.#part.write(proven, at)
    this.#writing.catch(() => undefined)
    ;[this.#stretch, this.#spare] = [this.#spare, this.#stretch]
    this.#provenBytes = 0
  }

  #next(): void {
    const next = this.#chunks.next()
    this.#chunk = next.done ? undefined : next.value
  }
}
