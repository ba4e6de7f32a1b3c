// The program behind the polling bot: reads updates, confirms handled ones, and is away periodically.
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit'
import type { ToldUpdate } from '../check/check-updates.ts'
import type { BotDoer } from './doers.ts'

const POLL_SEC = 2
const RETRY_MS = 50

export class PollOperator {
  readonly #bot: BotDoer
  readonly #random: SeededRandom
  readonly #take: (update: ToldUpdate) => void
  readonly updates: ToldUpdate[] = []
  #offset = 0
  #stopped = false
  isAway = false
  /** The last poll found nothing. */
  isIdle = false

  constructor(bot: BotDoer, { random, take }: { random: SeededRandom; take: (update: ToldUpdate) => void }) {
    this.#bot = bot
    this.#random = random
    this.#take = take
  }

  stop(): void {
    this.#stopped = true
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      // A restarted program remembers nothing: unconfirmed updates come again.
      if (this.#random.next() < 0.05) this.#offset = 0
      const path = `updates?offset=${this.#offset}&timeout=${POLL_SEC}&limit=20`
      const { ok } = this.isAway ? {} : await this.#bot.call<ToldUpdate[]>({ method: 'GET', path })
      this.isIdle = ok?.length === 0
      if (!ok) await pause(RETRY_MS)
      for (const update of ok ?? []) {
        this.updates.push(update)
        this.#take(update)
        this.#offset = update.id + 1
      }
    }
  }
}
