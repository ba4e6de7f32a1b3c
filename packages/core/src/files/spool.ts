// A file's ciphertext while it is written: one appends, and an upload follows.
import { unlessAborted } from './aborting.ts'
import type { SealedBytes, VaultPart } from './file-vault.ts'

export class Spool implements SealedBytes {
  readonly part: VaultPart
  #sealedBytes = 0
  #isEnded = false
  #grown = Promise.withResolvers<void>()

  constructor(part: VaultPart) {
    this.part = part
  }

  get sealedBytes(): number {
    return this.#sealedBytes
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  async append(sealed: Uint8Array): Promise<void> {
    await this.part.write(sealed, this.#sealedBytes)
    this.#sealedBytes += sealed.length
    this.#tell()
  }

  end(): void {
    this.#isEnded = true
    this.#tell()
  }

  async read(into: Uint8Array, at: number): Promise<number> {
    return await this.part.read(into.subarray(0, Math.max(0, this.#sealedBytes - at)), at)
  }

  /** Resolves when there are more bytes than so many, or no more will come. */
  async reaches(sealedBytes: number, signal: AbortSignal): Promise<void> {
    while (this.#sealedBytes <= sealedBytes && !this.#isEnded) await unlessAborted(this.#grown.promise, signal)
  }

  #tell(): void {
    this.#grown.resolve()
    this.#grown = Promise.withResolvers()
  }
}
