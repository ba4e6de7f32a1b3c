// Fills mailboxes from the log. Any relay does so for all, whoever has the lock: one that stops or dies holds nobody up.
import {
  type Clock,
  CodedError,
  inBackground,
  type Log,
  logFault,
  postgresLimits,
  type Timer,
  Wait,
} from '@postern/protocol'
import type { Wake } from '../wake.ts'
import type { AccountNumbers } from './account-numbers.ts'
import { Backoff } from './backoff.ts'
import type { Postgres } from './database.ts'
import type { DatabaseLine } from './database-line.ts'
import type { Hints } from './hints.ts'

type Parts = { numbers: AccountNumbers; hints: Hints; wake: Wake; clock: Clock; log: Log }
type Turn = { done: number; grown: number[] | null }

export class FanOut {
  readonly #line: DatabaseLine
  readonly #parts: Parts
  readonly #backoff = new Backoff()
  /** How often something was put into the outbox, as far as is known here, and which of that is in mailboxes. */
  #asked = 0
  #placed = 0
  #waiting: { for: number; wait: Wait }[] = []
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
    inBackground(this.#running, { what: 'mailboxes could not be filled', log: this.#parts.log })
  }

  /** All that was in the log before is in mailboxes, whichever relay has put it there. */
  async caughtUp(): Promise<void> {
    if (this.#isStopped) throw new CodedError('stopping')
    const wait = new Wait()
    this.#waiting.push({ for: this.#asked + 1, wait })
    this.poke()
    await wait.over
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
      logFault(error, { what: 'mailboxes cannot be filled just now; it is tried again', log })
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
    this.#waiting = this.#waiting.filter(({ wait }) => !wait.isOver)
  }

  #settle(end: (wait: Wait) => void, which: 'stopped' | 'all' = 'stopped'): void {
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
