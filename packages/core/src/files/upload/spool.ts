// A file's ciphertext while it is written: a writer appends, and an upload follows.
import { Deferred, Notifier } from '@postern/protocol'
import type { ChunkBuffers } from '../cipher/chunk-buffers.ts'
import type { SealedBytes, VaultPart } from '../vault/file-vault.ts'

export type SpoolOptions = {
  /** The largest size that the file can have; one byte more is refused. */
  bytesHint?: number | undefined
  /** `later`: when a caller asks for the upload. */
  uploads: 'now' | 'later'
  /** How many bytes of its ciphertext the relay has received by now; fewer again when some of them were lost. */
  onSent?: ((sealedBytes: number) => void) | undefined
  /** The key that seals it, used for this file alone. Random unless given. */
  key?: Uint8Array | undefined
  /** Its limits at the relay. */
  limits?: SpoolLimits | undefined
}

export type SpoolLimits = { lifetimeMs: number; fetches: number }

/** The stretch appended last: still in memory, so that an upload close behind need not read it from the disk. */
type Newest = { at: number; bytes: Uint8Array; buffer: Uint8Array; holders: number }

/**
 * A part of the ciphertext. It is not overwritten until `done` says that nothing reads it any more, not even a socket.
 */
export type Lent = { bytes: Uint8Array; done: () => void }

export class Spool implements SealedBytes {
  readonly part: VaultPart
  readonly #buffers: ChunkBuffers
  #sealedBytes = 0
  #isEnded = false
  #newest: Newest | undefined
  #writing: Promise<void> | undefined
  #isWriting = false
  readonly #grown = new Notifier()

  constructor(part: VaultPart, buffers: ChunkBuffers) {
    this.part = part
    this.#buffers = buffers
  }

  /** The bytes appended so far. All but the newest stretch are in the file. */
  get sealedBytes(): number {
    return this.#sealedBytes
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * Resolves when the earlier bytes are in the file, and throws their errors. These bytes are written meanwhile, and
   * uploads read them from memory. They may reach the relay before the file: until `end` no message names the blob, and
   * a failure until then removes it. The buffer belongs to the spool from now on.
   */
  async append(buffer: Uint8Array, sealedBytes: number): Promise<void> {
    await this.#writing
    this.#letGo()
    const newest = { at: this.#sealedBytes, bytes: buffer.subarray(0, sealedBytes), buffer, holders: 1 }
    this.#newest = newest
    this.#sealedBytes += sealedBytes
    this.#writing = this.#write(newest)
    // Thrown by the next append, or at the end.
    this.#writing.catch(() => undefined)
    this.#grown.notify()
  }

  /** Resolves when all of it is in the file. */
  async end(): Promise<void> {
    await this.#writing
    this.#isEnded = true
    this.#grown.notify()
  }

  async read(into: Uint8Array, at: number): Promise<number> {
    const newest = this.#newestAt(at)
    // Not into the stretch that is being written: the file may hold a part of it.
    const end = this.#isWriting && !newest ? (this.#newest?.at ?? 0) : this.#sealedBytes
    const wanted = into.subarray(0, Math.max(0, end - at))
    if (!newest) return await this.part.read(wanted, at)
    wanted.set(newest.bytes.subarray(at - newest.at).subarray(0, wanted.length))
    return wanted.length
  }

  /** The available bytes from a place on, from memory or from the file; empty if there are none yet. */
  async lend(at: number): Promise<Lent> {
    const newest = this.#newestAt(at)
    if (newest) {
      newest.holders += 1
      return { bytes: newest.bytes.subarray(at - newest.at), done: () => this.#drop(newest) }
    }
    const buffer = this.#buffers.borrow()
    const bytes = buffer.subarray(0, await this.read(buffer, at))
    return { bytes, done: () => this.#buffers.giveBack(buffer) }
  }

  /** Resolves when there are more bytes than this, or no more will come. */
  async reaches(sealedBytes: number, signal: AbortSignal): Promise<void> {
    const isReached = () => this.#sealedBytes > sealedBytes || this.#isEnded
    if (isReached()) return
    const wait = new Deferred()
    wait.onAbort(signal, () => wait.reject(signal.reason))
    wait.onSettled(
      this.#grown.listen(() => {
        if (isReached()) wait.resolve()
      }),
    )
    await wait.promise
  }

  /** Nothing uses it any more. */
  async release(): Promise<void> {
    await this.#writing?.catch(() => undefined)
    this.#letGo()
    await this.part.release()
  }

  async #write({ bytes, at }: Newest): Promise<void> {
    this.#isWriting = true
    try {
      await this.part.write(bytes, at)
    } finally {
      this.#isWriting = false
    }
  }

  #newestAt(at: number): Newest | undefined {
    const newest = this.#newest
    return newest && at >= newest.at && at < this.#sealedBytes ? newest : undefined
  }

  #letGo(): void {
    if (this.#newest) this.#drop(this.#newest)
    this.#newest = undefined
  }

  #drop(newest: Newest): void {
    newest.holders -= 1
    if (newest.holders === 0) this.#buffers.giveBack(newest.buffer)
  }
}
