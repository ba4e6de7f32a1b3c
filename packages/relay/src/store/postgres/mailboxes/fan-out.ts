// Fills mailboxes from the log. Any relay does so for all, whoever has the lock: one that stops or dies holds nobody up.
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

type Parts = { numbers: AccountNumbers; hints: Hints; wake: Wake; clock: Clock; log: Log }
type Turn = { done: number; grown: number[] | null }

export class FanOut {
  readonly #line: DedicatedConnection
  readonly #parts: Parts
  readonly #backoff = new Backoff()
  /** How often something was put into the outbox, as far as is known here, and which of that is in mailboxes. */
  #asked = 0
  #placed = 0
  #waiting: { for: number; wait: Deferred }[] = []
  #running: Promise<void> | undefined
  #timer: Timer | undefined
  #isStopped = false

  constructor(database: Postgres, parts: Parts) {
    this.#line = database.line()
    this.#parts = parts
  }

  /** By which other relays know whose hints these are. */
  get name(): string {
    return this.#parts.hints.own
  }

  /** As `fan_out` tells the others. */
  hintFor(accounts: readonly number[]): string {
    return `grown ${this.name} ${[...new Set(accounts)].join(',')}`
  }

  /** Looks at once, and then now and then: what a relay has left that died is for the others. */
  start(): void {
    this.poke()
    this.#lookLater(postgresLimits.fanOutEveryMs)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#running
  }

  /** Something was committed to the outbox. */
  poke(): void {
    this.#asked += 1
    if (this.#running || this.#isStopped) return
    this.#running = this.#run().finally(() => (this.#running = undefined))
    inBackground(this.#running, { what: 'mailboxes not filled', log: this.#parts.log })
  }

  /** All that was in the log before is in mailboxes, whichever relay has put it there. */
  async caughtUp(): Promise<void> {
    if (this.#isStopped) throw new CodedError('stopping')
    const wait = new Deferred()
    this.#waiting.push({ for: this.#asked + 1, wait })
    this.poke()
    await wait.promise
  }

  /** Whose mailbox has grown, at whichever relay. */
  grown(accounts: readonly number[]): void {
    const { numbers, wake } = this.#parts
    wake.notify(accounts.flatMap(num => numbers.heldByNumber(num)?.id ?? []))
  }

  async #run(): Promise<void> {
    try {
      while (this.#placed < this.#asked && !this.#isStopped) await this.#turn()
      this.#backoff.reset()
      this.#settle(wait => wait.reject(new CodedError('stopping')))
    } catch (error) {
      this.#settle(wait => wait.reject(error), 'all')
      const { log } = this.#parts
      logFault(error, { what: 'mailboxes not filled; will retry', log })
      this.#lookLater(this.#backoff.nextMs())
    }
  }

  async #turn(): Promise<void> {
    const { fanOutRows } = postgresLimits
    const asked = this.#asked
    const text = 'SELECT done, grown FROM fan_out($1, $2)'
    const turn = await this.#line.use(queries => queries.one<Turn>(text, [fanOutRows, this.#parts.hints.own]))
    // Fewer than it may be: nothing is left of what was there when it began.
    if ((turn?.done ?? 0) < fanOutRows) this.#placed = asked
    if (turn?.grown) this.grown(turn.grown)
    for (const { for: due, wait } of this.#waiting) if (due <= this.#placed) wait.resolve()
    this.#waiting = this.#waiting.filter(({ wait }) => !wait.isSettled)
  }

  #settle(end: (wait: Deferred) => void, which: 'stopped' | 'all' = 'stopped'): void {
    if (which === 'stopped' && !this.#isStopped) return
    for (const { wait } of this.#waiting) end(wait)
    this.#waiting = []
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
