// Notices that no push service is reachable, and says so once: many relays run without the internet.
import { type Log, pushLimits } from '@postern/protocol'
import type { PushAnswer } from './post-push.ts'

export class PushReach {
  readonly #log: Log
  #failures = 0
  #isAway = false

  constructor(log: Log) {
    this.#log = log
  }

  get isAway(): boolean {
    return this.#isAway
  }

  observe(answer: PushAnswer, service: string): void {
    if (answer.kind === 'answered') return this.#reached()
    this.#failures += 1
    if (this.#isAway || this.#failures < pushLimits.failuresMax) return
    this.#isAway = true
    this.#log.warn({ service, code: answer.code }, 'push services not reachable; will retry')
  }

  #reached(): void {
    this.#failures = 0
    if (!this.#isAway) return
    this.#isAway = false
    this.#log.info({}, 'push services reachable again')
  }
}
