// Limits the answers to accounts that may not do what they ask for: a repeated command or press must not flood a chat.
import { type AccountId, type Clock, hookLimits } from '@postern/protocol'

export class Strangers {
  readonly #clock: Clock
  /** The times of recent answers; the account that was answered longest ago is first. */
  readonly #answeredMs = new Map<AccountId, number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  mayAnswer(account: AccountId): boolean {
    const nowMs = this.#clock.monotonicMs()
    const { strangerAnswersMax, strangerAnswersMs, strangersKeptMax } = hookLimits
    const lately = (this.#answeredMs.get(account) ?? []).filter(atMs => nowMs - atMs < strangerAnswersMs)
    if (lately.length >= strangerAnswersMax) return false
    this.#answeredMs.delete(account)
    this.#answeredMs.set(account, [...lately, nowMs])
    const [oldest] = this.#answeredMs.keys()
    if (oldest !== undefined && this.#answeredMs.size > strangersKeptMax) this.#answeredMs.delete(oldest)
    return true
  }
}
