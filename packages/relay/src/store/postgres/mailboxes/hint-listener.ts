// Receives hints from other relays, over a connection that is reopened whenever it is lost.
import { inBackground, type Log, logFault, postgresLimits, type Timer } from '@postern/protocol'
import type { StoreOptions } from '../../relay-store.ts'
import type { AccountNumbers } from '../accounts/account-numbers.ts'
import { Backoff } from '../connection/backoff.ts'
import type { Postgres } from '../connection/database.ts'
import type { DedicatedConnection } from '../connection/dedicated-connection.ts'
import { HINT_CHANNEL, type Hints } from '../connection/hints.ts'
import { databaseFault } from '../connection/storage-error.ts'
import type { FanOut } from './fan-out.ts'

type Parts = { hints: Hints; fanOut: FanOut; numbers: AccountNumbers; options: StoreOptions; log: Log }

export class HintListener {
  readonly #line: DedicatedConnection
  readonly #parts: Parts
  readonly #backoff = new Backoff()
  #timer: Timer | undefined
  #isStopped = false
  #awaySinceMs: number | undefined

  constructor(database: Postgres, parts: Parts) {
    this.#line = database.line()
    this.#parts = parts
  }

  /**
   * On the monotonic clock.
   * The listener probes periodically, so that an idle relay also notices an unreachable database.
   */
  get awaySinceMs(): number | undefined {
    return this.#awaySinceMs
  }

  start(): void {
    inBackground(this.#listen(), { what: 'hints of other relays not received', log: this.#parts.log })
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  async #listen(): Promise<void> {
    const { options, log } = this.#parts
    try {
      const client = await this.#line.connected(() => this.#again(this.#backoff.nextMs()))
      if (this.#isStopped) return
      client.removeAllListeners('notification').on('notification', ({ payload = '' }) => this.#hear(payload))
      // Before LISTEN: a claim that was not notified is then committed, and is read again below.
      await client.query('SELECT pg_advisory_lock_shared(9, hashtext($1))', [this.#parts.hints.own])
      await client.query(`LISTEN ${HINT_CHANNEL}`)
      this.#awaySinceMs = undefined
      this.#stayAwake()
      // Earlier hints are lost. If reading again fails now, the next attempt repeats all of this.
      this.#parts.numbers.forgetAll()
      options.wake.notifyAll()
      options.pushSignals?.missed()
      await options.peerEvents?.missed()
      this.#backoff.reset()
    } catch (error) {
      if (this.#isStopped) return
      logFault(databaseFault(error), { what: 'hints of other relays not received; will retry', log })
      this.#again(this.#backoff.nextMs())
    }
  }

  /** A connection that is silently cut would look like relays without news. */
  #stayAwake(): void {
    this.#timer?.cancel()
    if (this.#isStopped) return
    this.#timer = this.#parts.options.clock.setTimer(postgresLimits.keepAliveMs, () => {
      const asked = this.#line.probe().then(() => this.#stayAwake())
      asked.catch(() => this.#again(this.#backoff.nextMs()))
    })
  }

  #again(afterMs: number): void {
    const { clock } = this.#parts.options
    this.#awaySinceMs ??= clock.monotonicMs()
    this.#timer?.cancel()
    if (this.#isStopped) return
    this.#timer = clock.setTimer(afterMs, () => this.start())
  }

  #hear(payload: string): void {
    const { hints, fanOut, numbers, options } = this.#parts
    const hint = hints.read(payload)
    if (hint?.kind === 'grown') fanOut.grown(hint.accounts)
    if (hint?.kind === 'marked') options.pushSignals?.marked(hint.groups)
    if (hint?.kind === 'left') options.pushSignals?.left(hint.device)
    if (hint?.kind !== 'news') return
    // Banned by its operator or deleted by its owner: nobody may find it here any more.
    if (hint.news.kind === 'banned') numbers.forget(hint.news.account)
    options.peerEvents?.tell(hint.news)
  }
}
