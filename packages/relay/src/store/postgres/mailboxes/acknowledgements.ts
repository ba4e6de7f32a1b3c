// Acknowledged positions of accounts: written together periodically, and with the next message of their account.
import { type AccountId, type Clock, Deferred, postgresLimits, type Timer } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { Postgres } from '../connection/database.ts'
import type { PostgresStatement } from '../connection/queries.ts'
import { WorkSize } from '../connection/work-size.ts'

type ReadUpTo = { cursor: number; mark: number }
/** The position that an account has acknowledged. */
export type AccountReached = ReadUpTo & { account: AccountId }
/** `parts`: taken out of it, and not written yet. `whole`: the set that it was taken from. */
type Unwritten = {
  reached: Map<AccountId, ReadUpTo>
  settled: Deferred
  parts: Set<Unwritten>
  whole: Unwritten | undefined
}

const unwritten = (reached: Iterable<[AccountId, ReadUpTo]> = [], whole?: Unwritten): Unwritten => ({
  reached: new Map(reached),
  settled: new Deferred(),
  parts: new Set(),
  whole,
})

export class Acknowledgements {
  readonly #database: Postgres
  readonly #limits: RelayLimits
  readonly #clock: Clock
  readonly #accounts = new WorkSize(postgresLimits.acknowledgementsPerWrite)
  #unwritten = unwritten()
  #flushing: Promise<void> | undefined
  #timer: Timer | undefined

  constructor(database: Postgres, { limits, clock }: { limits: RelayLimits; clock: Clock }) {
    this.#database = database
    this.#limits = limits
    this.#clock = clock
  }

  /** Later acknowledgements of an account replace the first. A failed write is retried. */
  add(account: AccountId, reached: ReadUpTo): Promise<void> {
    this.#note(account, reached)
    this.#writeWithin(this.#limits.acknowledgeWithinMs)
    return this.#unwritten.settled.promise
  }

  #note(account: AccountId, { cursor, mark }: ReadUpTo): void {
    const { reached } = this.#unwritten
    const before = reached.get(account) ?? { cursor: 0, mark: 0 }
    reached.set(account, { cursor: Math.max(before.cursor, cursor), mark: Math.max(before.mark, mark) })
  }

  /** Resolves when the account's acknowledgements so far are in the database, or could not be written. */
  async writtenOf(account: AccountId): Promise<void> {
    await this.#flushing?.catch(() => undefined)
    if (this.#unwritten.reached.has(account)) await this.flush().catch(() => undefined)
  }

  /**
   * Hands over the pending acknowledgements of these accounts; the caller writes them. Those of other accounts would
   * make a batch larger with each retry.
   */
  handOver(senders: Iterable<AccountId>): Unwritten | undefined {
    const { reached } = this.#unwritten
    if (reached.size === 0) return undefined
    const own = [...new Set(senders)].filter(account => reached.has(account))
    return own.length > 0 ? this.#take(own) : undefined
  }

  written(part: Unwritten): void {
    part.settled.settleWith(Promise.all([...part.parts].map(({ settled }) => settled.promise)).then(() => undefined))
  }

  /** The part could not be written. */
  putBack(part: Unwritten): void {
    const whole = this.#unwritten
    // The part settles with the new whole, which must not wait for it in turn.
    part.whole?.parts.delete(part)
    for (const each of part.parts) {
      each.whole = whole
      whole.parts.add(each)
    }
    for (const [account, one] of part.reached) this.#note(account, one)
    part.settled.settleWith(whole.settled.promise)
    this.#writeWithin(this.#limits.acknowledgeRetryMs)
  }

  /** One after the other, so that waiting for the last one means waiting for all of them. */
  flush(): Promise<void> {
    const before = this.#flushing?.catch(() => undefined) ?? Promise.resolve()
    const flushing = before.then(() => this.#writeAll())
    this.#flushing = flushing
    return flushing
  }

  /** Writes everything pending at the start, in statements as large as the database can handle in time. */
  async #writeAll(): Promise<void> {
    for (let left = this.#unwritten.reached.size; left > 0 && this.#unwritten.reached.size > 0; ) {
      const accounts = [...this.#unwritten.reached.keys().take(this.#accounts.size)]
      left -= accounts.length
      await this.#write(this.#take(accounts))
    }
  }

  /** The last accounts take over the promise of the whole, so that it settles with them. */
  #take(accounts: readonly AccountId[]): Unwritten {
    const whole = this.#unwritten
    if (accounts.length === whole.reached.size) {
      this.#unwritten = unwritten()
      return whole
    }
    const own = accounts.flatMap((account): [AccountId, ReadUpTo][] => {
      const reached = whole.reached.get(account)
      return reached ? [[account, reached]] : []
    })
    const part = unwritten(own, whole)
    for (const account of accounts) whole.reached.delete(account)
    whole.parts.add(part)
    return part
  }

  async #write(part: Unwritten): Promise<void> {
    const { text, values } = writeReached(part.reached)
    const startedMs = this.#clock.monotonicMs()
    try {
      await this.#database.run(text, values)
    } catch (error) {
      this.#accounts.failed(error)
      this.putBack(part)
      throw error
    }
    this.#accounts.succeeded(this.#clock.monotonicMs() - startedMs)
    this.written(part)
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #writeWithin(afterMs: number): void {
    this.#timer ??= this.#clock.setTimer(afterMs, () => {
      this.#timer = undefined
      // A failed part is put back and waits for the next try.
      this.flush().catch(() => undefined)
    })
  }
}

/**
 * Never above the mailbox's head:
 * a cursor of another relay, or from the future, would hide entries that are still to come.
 */
function writeReached(reached: ReadonlyMap<AccountId, ReadUpTo>): PostgresStatement {
  const all = [...reached]
  const text = `INSERT INTO progress (account, cursor, mark)
     SELECT account.num, least(told.cursor, coalesce((SELECT max(pos) FROM mailbox WHERE mailbox.account = account.num), 0)), told.mark
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS told (id, cursor, mark) JOIN account ON account.id = told.id
     ORDER BY account.num
     ON CONFLICT (account) DO UPDATE
       SET cursor = greatest(progress.cursor, excluded.cursor), mark = greatest(progress.mark, excluded.mark)`
  return { text, values: [all.map(([id]) => id), all.map(([, { cursor }]) => cursor), all.map(([, { mark }]) => mark)] }
}

/** Acknowledgements of a batch's senders, made durable together with their messages. */
export class AcknowledgedAhead {
  readonly #acknowledgements: Acknowledgements
  #handed: Unwritten | undefined

  constructor(acknowledgements: Acknowledgements) {
    this.#acknowledgements = acknowledgements
  }

  statements(senders: Iterable<AccountId>): PostgresStatement[] {
    this.#handed = this.#acknowledgements.handOver(senders)
    return this.#handed ? [writeReached(this.#handed.reached)] : []
  }

  /** For a caller that writes them in its own statement. */
  take(senders: Iterable<AccountId>): AccountReached[] {
    this.#handed = this.#acknowledgements.handOver(senders)
    return [...(this.#handed?.reached ?? [])].map(([account, place]) => ({ account, ...place }))
  }

  committed(): void {
    if (this.#handed) this.#acknowledgements.written(this.#handed)
  }

  undone(): void {
    if (this.#handed) this.#acknowledgements.putBack(this.#handed)
    this.#handed = undefined
  }
}
