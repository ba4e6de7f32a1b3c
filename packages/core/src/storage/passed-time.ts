// Time that passed for this account, over restarts too, whatever the machine's clock is set to: by it ages are counted.
import { type Clock, clientLimits } from '@postern/protocol'
import type { Database } from './database.ts'
import type { Store } from './store.ts'

/** One moment by each count. The relay's time is unknown until it was first heard. */
type Moment = { passedMs: number; wallMs: number; relayMs: number | null }

/**
 * It begins with what the clock says, and then goes on by itself. Of the time in which the program did not run it counts what
 * both the clock and the relay tell of: neither a clock that was set meanwhile nor a relay that lies makes anything old.
 */
export class PassedTime {
  readonly #store: Store
  readonly #clock: Clock
  readonly #openedWallMs: number
  #last: Moment
  #lastMonotonicMs: number
  #keptMonotonicMs: number
  /** Whether the time before this start is counted. */
  #isCaughtUp: boolean
  #isHeard = false

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#openedWallMs = clock.nowMs()
    const kept = store.get<Moment>(
      'SELECT passed_ms AS "passedMs", wall_ms AS "wallMs", relay_ms AS "relayMs" FROM passed_time',
    )
    this.#isCaughtUp = kept === undefined
    this.#last = kept ?? { passedMs: this.#openedWallMs, wallMs: this.#openedWallMs, relayMs: null }
    this.#lastMonotonicMs = clock.monotonicMs()
    this.#keptMonotonicMs = this.#lastMonotonicMs
  }

  /** Never goes back within one run, and stands near the clock's time only at the beginning. */
  nowMs(): number {
    return this.#last.passedMs + this.#sinceMs()
  }

  /** What the relay's clock says now, by its last word. */
  relayNowMs(): number | undefined {
    return this.#isHeard ? (this.#last.relayMs ?? 0) + this.#sinceMs() : undefined
  }

  /** With each word of the relay about its time. True when by it more has passed than was known: something may be due. */
  heard(relayMs: number): boolean {
    const isFirst = !this.#isHeard
    const offMs = this.#isCaughtUp ? 0 : this.#offMs(relayMs)
    this.#last = { passedMs: this.nowMs() + offMs, wallMs: this.#clock.nowMs(), relayMs }
    this.#lastMonotonicMs = this.#clock.monotonicMs()
    this.#isCaughtUp = true
    this.#isHeard = true
    const isDue = this.#lastMonotonicMs - this.#keptMonotonicMs >= clientLimits.passedTimeKeptEveryMs
    // What is not written is found out at the next start, by both clocks.
    if (isFirst || isDue) this.#keep().catch(() => undefined)
    return offMs > 0
  }

  /** At the stop. */
  async stop(): Promise<void> {
    await this.#keep().catch(() => undefined)
  }

  /** What passed while the program did not run. */
  #offMs(relayMs: number): number {
    const { wallMs, relayMs: lastRelayMs } = this.#last
    if (lastRelayMs === null) return 0
    const byClock = this.#openedWallMs - wallMs
    const byRelay = relayMs - lastRelayMs - this.#sinceMs()
    return Math.max(0, Math.min(byClock, byRelay))
  }

  async #keep(): Promise<void> {
    const sinceMs = this.#sinceMs()
    const { relayMs } = this.#last
    // As long as the relay was not heard, what is still to be counted must stay to be found.
    const wallMs = this.#isCaughtUp ? this.#clock.nowMs() : this.#last.wallMs + sinceMs
    const moment = { passedMs: this.nowMs(), wallMs, relayMs: relayMs === null ? null : relayMs + sinceMs }
    this.#keptMonotonicMs = this.#clock.monotonicMs()
    await this.#store.write(database => keepMoment(database, moment), 'recorded')
  }

  #sinceMs(): number {
    return this.#clock.monotonicMs() - this.#lastMonotonicMs
  }
}

function keepMoment(database: Database, { passedMs, wallMs, relayMs }: Moment): void {
  database.run(
    `INSERT INTO passed_time (one, passed_ms, wall_ms, relay_ms) VALUES (1, ?, ?, ?)
     ON CONFLICT DO UPDATE SET passed_ms = excluded.passed_ms, wall_ms = excluded.wall_ms, relay_ms = excluded.relay_ms`,
    passedMs,
    wallMs,
    relayMs,
  )
}
