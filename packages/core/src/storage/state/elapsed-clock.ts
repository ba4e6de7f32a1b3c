// Time that passed for this account, across restarts, whatever the machine's clock is set to. Ages are counted by it.
import { type Clock, clientLimits } from '@postern/protocol'
import type { Database } from '../database.ts'
import type { Store } from '../transactions/store.ts'

/**
 * One moment by three clocks, and the time that was certainly reached.
 * The relay's is null until the relay has named a time.
 */
type Moment = { passedMs: number; wallMs: number; relayMs: number | null; reachedMs: number }

type Parts = {
  store: Store
  clock: Clock
  /**
   * The time of the newest event or message: a count that began before it would leave everything there undue for years.
   */
  newestMs: () => number
}

/**
 * Begins with the clock's time, or with that of the newest data if that is later, and then advances on its own. For the
 * time in which the program did not run, it counts the smaller of the spans by the clock and by the relay. So neither a
 * clock that was set nor a relay that lies makes anything old.
 */
export class ElapsedClock {
  readonly #store: Store
  readonly #clock: Clock
  readonly #openedWallMs: number
  #last: Moment
  #lastMonotonicMs: number
  #keptMonotonicMs: number
  #isCaughtUp: boolean
  #isHeard = false
  #offMs = 0

  constructor({ store, clock, newestMs }: Parts) {
    this.#store = store
    this.#clock = clock
    this.#openedWallMs = clock.nowMs()
    const kept = store.get<Moment>(
      `SELECT passed_ms AS "passedMs", wall_ms AS "wallMs", relay_ms AS "relayMs", reached_ms AS "reachedMs"
       FROM passed_time`,
    )
    this.#isCaughtUp = kept === undefined
    const wallMs = this.#openedWallMs
    this.#last = kept ?? { passedMs: Math.max(wallMs, newestMs()), wallMs, relayMs: null, reachedMs: 0 }
    this.#lastMonotonicMs = clock.monotonicMs()
    this.#keptMonotonicMs = this.#lastMonotonicMs
  }

  /** Never goes back within one run, and is near the clock's time only at the beginning. */
  nowMs(): number {
    return this.#last.passedMs + this.#sinceMs()
  }

  /**
   * The latest possible time, while the time before this start is not counted yet.
   * An event that is dated by it does not count as old.
   */
  latestMs(): number {
    return this.nowMs() + (this.#isCaughtUp ? 0 : Math.max(0, this.#offByClockMs()))
  }

  /** Whether the time before this start is counted. Until then, old events may seem recent. */
  get isKnown(): boolean {
    return this.#isCaughtUp
  }

  /**
   * How long the program did not run before this start, as far as both clocks agree.
   * Only two wrong clocks age data too early.
   */
  get offMs(): number {
    return this.#offMs
  }

  /** The relay's current time, from the last time that it named. */
  relayNowMs(): number | undefined {
    return this.#isHeard ? (this.#last.relayMs ?? 0) + this.#sinceMs() : undefined
  }

  /** The clock's time, or, if the clock was set back, the time that was certainly reached. */
  reachedMs(): number {
    return Math.max(this.#clock.nowMs(), this.#last.reachedMs + this.#sinceMs())
  }

  /**
   * The earlier of the relay's time and the clock's is certainly reached:
   * neither of the two alone can lead into the future.
   */
  noteReached(relayMs: number): void {
    const bothMs = Math.min(this.#clock.nowMs(), relayMs) - this.#sinceMs()
    if (bothMs > this.#last.reachedMs) this.#last = { ...this.#last, reachedMs: bothMs }
  }

  /** Called with each time that the relay names. True when it differs from the expected time: something may be due. */
  heard(relayMs: number): boolean {
    const isFirst = !this.#isHeard
    const isNews = Math.abs(relayMs - (this.relayNowMs() ?? 0)) >= clientLimits.relayClockNewsMs
    const offMs = this.#isCaughtUp ? 0 : this.#offSinceMs(relayMs)
    this.#offMs += offMs
    this.noteReached(relayMs)
    const reachedMs = this.#last.reachedMs + this.#sinceMs()
    this.#last = { passedMs: this.nowMs() + offMs, wallMs: this.#clock.nowMs(), relayMs, reachedMs }
    this.#lastMonotonicMs = this.#clock.monotonicMs()
    this.#isCaughtUp = true
    this.#isHeard = true
    const isDue = this.#lastMonotonicMs - this.#keptMonotonicMs >= clientLimits.passedTimeKeptEveryMs
    // A time that is not written is found at the next start, by both clocks.
    if (isFirst || isDue) this.#keep().catch(() => undefined)
    return isNews || offMs > 0
  }

  /** Writes the count, so that the next start continues from here. */
  async stop(): Promise<void> {
    await this.#keep().catch(() => undefined)
  }

  /** The time that passed while the program did not run. */
  #offSinceMs(relayMs: number): number {
    const { relayMs: lastRelayMs } = this.#last
    if (lastRelayMs === null) return 0
    const byRelay = relayMs - lastRelayMs - this.#sinceMs()
    return Math.max(0, Math.min(this.#offByClockMs(), byRelay))
  }

  #offByClockMs(): number {
    return this.#openedWallMs - this.#last.wallMs
  }

  async #keep(): Promise<void> {
    const sinceMs = this.#sinceMs()
    const { relayMs, reachedMs } = this.#last
    // Until the relay has named a time, the uncounted time must remain to be counted later.
    const wallMs = this.#isCaughtUp ? this.#clock.nowMs() : this.#last.wallMs + sinceMs
    const moment = {
      passedMs: this.nowMs(),
      wallMs,
      relayMs: relayMs === null ? null : relayMs + sinceMs,
      reachedMs: reachedMs + sinceMs,
    }
    this.#keptMonotonicMs = this.#clock.monotonicMs()
    await this.#store.write(database => keepMoment(database, moment), 'recorded')
  }

  #sinceMs(): number {
    return this.#clock.monotonicMs() - this.#lastMonotonicMs
  }
}

function keepMoment(database: Database, { passedMs, wallMs, relayMs, reachedMs }: Moment): void {
  database.run(
    'INSERT OR REPLACE INTO passed_time (one, passed_ms, wall_ms, relay_ms, reached_ms) VALUES (1, ?, ?, ?, ?)',
    passedMs,
    wallMs,
    relayMs,
    reachedMs,
  )
}
