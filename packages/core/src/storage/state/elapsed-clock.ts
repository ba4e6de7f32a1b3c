// Time that passed for this account, over restarts too, whatever the machine's clock is set to: by it ages are counted.
import { type Clock, clientLimits } from '@postern/protocol'
import type { Database } from '../database.ts'
import type { Store } from '../transactions/store.ts'

/** One moment by three clocks, and the time that was surely reached. The relay's is unknown until the relay was first heard. */
type Moment = { passedMs: number; wallMs: number; relayMs: number | null; reachedMs: number }

type Parts = {
  store: Store
  clock: Clock
  /** The time of the newest event or message: a count that began before it would leave everything there undue for years. */
  newestMs: () => number
}

/**
 * It begins with what the clock says, or with the newest that is there already, and then goes on by itself. Of the time in
 * which the program did not run it counts what both the clock and the relay tell of: neither a clock that was set meanwhile
 * nor a relay that lies makes anything old.
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

  /** Never goes back within one run, and stands near the clock's time only at the beginning. */
  nowMs(): number {
    return this.#last.passedMs + this.#sinceMs()
  }

  /** The latest that it can be, as long as the time before this start is not counted: what happens by then is not old by it. */
  latestMs(): number {
    return this.nowMs() + (this.#isCaughtUp ? 0 : Math.max(0, this.#offByClockMs()))
  }

  /** Whether the time before this start is counted: until then what is long ago may seem to be of just now. */
  get isKnown(): boolean {
    return this.#isCaughtUp
  }

  /** How long the program did not run before this start, as far as both clocks say so: two wrong ones make things old. */
  get offMs(): number {
    return this.#offMs
  }

  /** What the relay's clock says now, by its last word. */
  relayNowMs(): number | undefined {
    return this.#isHeard ? (this.#last.relayMs ?? 0) + this.#sinceMs() : undefined
  }

  /** What the clock says, and where it was set back, the time before which it cannot be. */
  reachedMs(): number {
    return Math.max(this.#clock.nowMs(), this.#last.reachedMs + this.#sinceMs())
  }

  /** The earlier of the relay's time and the clock's is surely reached: neither of the two alone can lead into the future. */
  noteReached(relayMs: number): void {
    const bothMs = Math.min(this.#clock.nowMs(), relayMs) - this.#sinceMs()
    if (bothMs > this.#last.reachedMs) this.#last = { ...this.#last, reachedMs: bothMs }
  }

  /** Called with each time that the relay names. True when the known time was another: something may be due. */
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
    // What is not written is found out at the next start, by both clocks.
    if (isFirst || isDue) this.#keep().catch(() => undefined)
    return isNews || offMs > 0
  }

  /** Writes the count, so that the next start goes on from here. */
  async stop(): Promise<void> {
    await this.#keep().catch(() => undefined)
  }

  /** What passed while the program did not run. */
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
    // As long as the relay was not heard, what is still to be counted must stay to be found.
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
