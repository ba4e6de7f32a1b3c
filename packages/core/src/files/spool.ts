// A file's ciphertext while it is written: one appends, and an upload follows.
import { Bell, Wait } from '@postern/protocol'
import type { SealedBytes, VaultPart } from './file-vault.ts'

export type SpoolOptions = {
  /** No more bytes than this will come; one more is refused. */
  bytesHint?: number | undefined
  /** `later`: when somebody asks for it to be uploaded. */
  uploads: 'now' | 'later'
  /** How many bytes of its ciphertext the relay was given by now; fewer again when some of them were lost. */
  onSent?: ((sealedBytes: number) => void) | undefined
}

export class Spool implements SealedBytes {
  readonly part: VaultPart
  #sealedBytes = 0
  #isEnded = false
  readonly #grown = new Bell()

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
    this.#grown.ring()
  }

  end(): void {
    this.#isEnded = true
    this.#grown.ring()
  }

  async read(into: Uint8Array, at: number): Promise<number> {
    return await this.part.read(into.subarray(0, Math.max(0, this.#sealedBytes - at)), at)
  }

  /** Resolves when there are more bytes than so many, or no more will come. */
  async reaches(sealedBytes: number, signal: AbortSignal): Promise<void> {
    const isReached = () => this.#sealedBytes > sealedBytes || this.#isEnded
    if (isReached()) return
    const wait = new Wait()
    wait.onAbort(signal, () => wait.reject(signal.reason))
    wait.onOver(
      this.#grown.listen(() => {
        if (isReached()) wait.resolve()
      }),
    )
    await wait.over
  }
}
