// The waits between wrong passphrases. They begin again with each worker, so that no clock that somebody sets ends them.
import { appLimits, type Clock, isCoded } from '@postern/protocol'
import { AppError } from '../app-error.ts'

type WaitContext = { clock: Clock; wrongPassphrases: () => Promise<number> }

export class UnlockWait {
  readonly #parts: WaitContext
  #untilMs = 0

  constructor(parts: WaitContext) {
    this.#parts = parts
  }

  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.#parts.clock.monotonicMs())
  }

  assertOver(): void {
    if (this.leftMs > 0) throw new AppError('unlock-too-soon')
  }

  /** Passes on the result of an attempt. */
  async counted<Result>(attempt: Promise<Result>): Promise<Result> {
    try {
      return await attempt
    } catch (error) {
      if (isCoded(error, 'passphrase-wrong')) await this.begin()
      throw error
    }
  }

  /** As long as all wrong passphrases so far demand. */
  async begin(): Promise<void> {
    const { clock, wrongPassphrases } = this.#parts
    const beyond = (await wrongPassphrases()) - appLimits.unlockTriesFree
    const waitMs = beyond < 0 ? 0 : Math.min(appLimits.unlockWaitMs * 2 ** beyond, appLimits.unlockWaitMsMax)
    this.#untilMs = clock.monotonicMs() + waitMs
  }
}
