// Fills mailboxes from the log.
// Any relay does so for all while it holds the lock; one that stops or dies blocks nobody.
import {
  type Clock,
  CodedError,
  Deferred,
  inBackground,
  type Log,
  logFault,
  postgresLimits,
  type Timer,
} from '@postern/protocol'
import type { Wake } from '../../wake.ts'
import type { AccountNumbers } from '../accounts/account-numbers.ts'
import { Backoff } from '../connection/backoff.ts'
import type { Postgres } from '../connection/database.ts'
import type { DedicatedConnection } from '../connection/dedicated-connection.ts'
import type { Hints } from '../connection/hints.ts'
import { isTimeout, WorkSize } from '../connection/work-size.ts'

type Parts = { numbers: AccountNumbers; hints: Hints; wake: Wake; clock: Clock; log: Log }
/** `waiting`: references left for the next turns, as far as this turn has read. */
type Turn = { waiting: number; grown: number[] | null; tookMs: number }

export class FanOut {
  readonly #line: DedicatedConnection
  readonly #parts: Parts
  readonly #backoff = new Backoff()
  readonly #references = new WorkSize(postgresLimits.fanOutReferences)
  /** How often rows were added to the outbox, as far as known here, and which of these are in mailboxes. */
  #asked = 0
  #placed = 0
  #backlog = 0
  #waiting: { for: number; wait: Deferred }[] = []
  #turns: Deferred[] = []
  #running: Promise<void> | undefined
  #timer: Timer | undefined
  #isStopped = false

  constructor(database: Postgres, parts: Parts) {
    this.#line = database.line()
    this.#parts = parts
  }

  /** The relay's name in its hints to other relays. */
  get name(): string {
    return this.#parts.hints.own
  }

  /**
   * References that wait for their mailboxes, as far as known here:
   * counted by the last turn, plus those sent since.
   */
  get backlog(): number {
    return this.#backlog
  }

  /** In the format of `fan_out_turn`. */
  hintFor(accounts: readonly number[]): string {
    return `grown ${this.name} ${[...new Set(accounts)].join(',')}`
  }

  /**
   * Fills mailboxes immediately, and then periodically:
   * the rows that a dead relay left behind are placed by others.
   */
  start(): void {
    this.poke()
    this.#lookLater(postgresLimits.fanOutEveryMs)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#running
  }

  /** Rows with this number of references were committed to the outbox. */
  poke(references = 0): void {
    this.#asked += 1
    this.#backlog += references
    if (this.#running || this.#isStopped) return
    this.#running = this.#run().finally(() => (this.#running = undefined))
    inBackground(this.#running, { what: 'mailboxes not filled', log: this.#parts.log })
  }

  /** Resolves when everything logged before is in mailboxes, whichever relay placed it. */
  async caughtUp(): Promise<void> {
    if (this.#isStopped) throw new CodedError('stopping')
    const wait = new Deferred()
    this.#waiting.push({ for: this.#asked + 1, wait })
    this.poke()
    await wait.promise
  }

  /**
   * Resolves after one more turn.
   * Fails with the turn: a reader that waits for its own entries gets the error and asks again.
   */
  async nextTurn(): Promise<void> {
    if (this.#isStopped) throw new CodedError('stopping')
    const turn = new Deferred()
    this.#turns.push(turn)
    this.poke()
    await turn.promise
  }

  /** The mailboxes of these accounts have grown, at any relay. */
  grown(accounts: readonly number[]): void {
    const { numbers, wake } = this.#parts
    wake.notify(accounts.flatMap(num => numbers.heldByNumber(num)?.id ?? []))
  }

  async #run(): Promise<void> {
    try {
      while (this.#placed < this.#asked && !this.#isStopped) await this.#turn()
      this.#backoff.reset()
      if (this.#isStopped) this.#rejectAll(new CodedError('stopping'))
    } catch (error) {
      this.#rejectAll(error)
      const { log } = this.#parts
      logFault(error, { what: 'mailboxes not filled; will retry', log })
      // The next turn is smaller, so it need not wait.
      this.#lookLater(isTimeout(error) ? postgresLimits.reconnectMs : this.#backoff.nextMs())
    }
  }

  async #turn(): Promise<void> {
    const asked = this.#asked
    const turns = this.#turns
    this.#turns = []
    const turn = await this.#place().catch((error: unknown) => {
      for (const each of turns) each.reject(error)
      throw error
    })
    this.#backlog = turn.waiting
    if (turn.waiting === 0) this.#placed = asked
    if (turn.grown) this.grown(turn.grown)
    for (const each of turns) each.resolve()
    for (const { for: due, wait } of this.#waiting) if (due <= this.#placed) wait.resolve()
    this.#waiting = this.#waiting.filter(({ wait }) => !wait.isSettled)
  }

  async #place(): Promise<Turn> {
    const text = 'SELECT waiting, grown, took_ms AS "tookMs" FROM fan_out_turn($1, $2)'
    const values = [this.#references.size, this.#parts.hints.own]
    try {
      const turn = await this.#line.use(queries => queries.one<Turn>(text, values))
      this.#references.succeeded(turn?.tookMs ?? 0)
      return turn ?? { waiting: 0, grown: null, tookMs: 0 }
    } catch (error) {
      this.#references.failed(error)
      throw error
    }
  }

  #rejectAll(error: unknown): void {
    for (const { wait } of this.#waiting) wait.reject(error)
    for (const turn of this.#turns) turn.reject(error)
    this.#waiting = []
    this.#turns = []
  }

  #lookLater(afterMs: number): void {
    this.#timer?.cancel()
    if (this.#isStopped) return
    this.#timer = this.#parts.clock.setTimer(afterMs, () => {
      this.poke()
      this.#lookLater(postgresLimits.fanOutEveryMs)
    })
  }
}
