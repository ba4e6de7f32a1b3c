// A file's ciphertext while it is written: one appends, and an upload follows.
import { Deferred, Notifier } from '@postern/protocol'
import type { ChunkBuffers } from '../cipher/chunk-buffers.ts'
import type { SealedBytes, VaultPart } from '../vault/file-vault.ts'

export type SpoolOptions = {
  /** No more bytes than this will come; one more is refused. */
  bytesHint?: number | undefined
  /** `later`: when somebody asks for it to be uploaded. */
  uploads: 'now' | 'later'
  /** How many bytes of its ciphertext the relay was given by now; fewer again when some of them were lost. */
  onSent?: ((sealedBytes: number) => void) | undefined
  /** The key that seals it, used for this file alone; a random one unless it is given. */
  key?: Uint8Array | undefined
  /** What the relay limits it to. */
  limits?: SpoolLimits | undefined
}

export type SpoolLimits = { lifetimeMs: number; fetches: number }

/** What was appended last: still in memory, so that who follows closely need not read it from the disk. */
type Newest = { at: number; bytes: Uint8Array; buffer: Uint8Array; holders: number }

/** Some of the ciphertext, which nobody writes to until `done` says that nobody reads from it any more, also no socket. */
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

  /** What has been appended. All of it but the newest stretch is in the file. */
  get sealedBytes(): number {
    return this.#sealedBytes
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * Resolves when what came before is in the file, and throws what went wrong with it; these bytes are written meanwhile,
   * and followed from memory. They may be at the relay before they are in the file: until `end` nobody names the blob, and
   * what fails until then clears it away. The buffer is the spool's from now on.
   */
  async append(buffer: Uint8Array, sealedBytes: number): Promise<void> {
    await this.#writing
    this.#letGo()
    const newest = { at: this.#sealedBytes, bytes: buffer.subarray(0, sealedBytes), buffer, holders: 1 }
    this.#newest = newest
    this.#sealedBytes += sealedBytes
    this.#writing = this.#write(newest)
    // Thrown where the next one is appended, or at the end.
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
    // Not into what is being written: of that the file may hold a part.
    const end = this.#isWriting && !newest ? (this.#newest?.at ?? 0) : this.#sealedBytes
    const wanted = into.subarray(0, Math.max(0, end - at))
    if (!newest) return await this.part.read(wanted, at)
    wanted.set(newest.bytes.subarray(at - newest.at).subarray(0, wanted.length))
    return wanted.length
  }

  /** What there is from a place on, from memory or from the file; nothing where there is no more yet. */
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

  /** Resolves when there are more bytes than so many, or no more will come. */
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

  /** Nobody works with it any more. */
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
