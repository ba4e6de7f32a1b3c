// How far accounts have read: written together now and then, and ahead of what its account sends.
import { type AccountId, type Clock, Deferred, type Timer } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { Postgres } from '../connection/database.ts'
import type { PostgresStatement } from '../connection/queries.ts'

type ReadUpTo = { cursor: number; mark: number }
/** How far an account has read. */
export type AccountReached = ReadUpTo & { account: AccountId }
type Unwritten = { reached: Map<AccountId, ReadUpTo>; settled: Deferred }

const nothing = (): Unwritten => ({ reached: new Map(), settled: new Deferred() })

export class Acknowledgements {
  readonly #database: Postgres
  readonly #limits: RelayLimits
  readonly #clock: Clock
  #unwritten = nothing()
  #writing: Promise<void> | undefined
  #timer: Timer | undefined

  constructor(database: Postgres, { limits, clock }: { limits: RelayLimits; clock: Clock }) {
    this.#database = database
    this.#limits = limits
    this.#clock = clock
  }

  /** Later ones of one account take the place of the first. What cannot be written waits on. */
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

  /** What the account has acknowledged so far is in the database, or cannot be written. */
  async writtenOf(account: AccountId): Promise<void> {
    await this.#writing
    if (this.#unwritten.reached.has(account)) await this.flush().catch(() => undefined)
  }

  #isWaitingFor(accounts: Iterable<AccountId>): boolean {
    const { reached } = this.#unwritten
    return reached.size > 0 && [...accounts].some(account => reached.has(account))
  }

  /** What waits, when it is of one of these accounts: whoever asks writes it. */
  handOver(senders: Iterable<AccountId>): Unwritten | undefined {
    if (!this.#isWaitingFor(senders)) return undefined
    const handed = this.#unwritten
    this.#unwritten = nothing()
    return handed
  }

  /** It could not be written. */
  putBack({ reached, settled }: Unwritten): void {
    const later = this.#unwritten
    this.#unwritten = { reached, settled }
    for (const [account, one] of later.reached) this.#note(account, one)
    later.settled.settleWith(settled.promise)
    this.#writeWithin(this.#limits.acknowledgeRetryMs)
  }

  async flush(): Promise<void> {
    await this.#writing
    if (this.#unwritten.reached.size === 0) return
    const written = this.#unwritten
    this.#unwritten = nothing()
    const { text, values } = writeReached(written.reached)
    const writing = this.#database.run(text, values)
    this.#writing = writing
      .then(
        () => written.settled.resolve(),
        () => this.putBack(written),
      )
      .finally(() => (this.#writing = undefined))
    await writing
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #writeWithin(afterMs: number): void {
    this.#timer ??= this.#clock.setTimer(afterMs, () => {
      this.#timer = undefined
      // What failed is put back, and with that waits for its next try.
      this.flush().catch(() => undefined)
    })
  }
}

/** Never above what is there: a cursor of another relay, or of the future, would hide what is still to come. */
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

/** What the senders of a batch have acknowledged before: durable with what they send. */
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

  /** For whoever writes it in a statement of its own. */
  take(senders: Iterable<AccountId>): AccountReached[] {
    this.#handed = this.#acknowledgements.handOver(senders)
    return [...(this.#handed?.reached ?? [])].map(([account, place]) => ({ account, ...place }))
  }

  committed(): void {
    this.#handed?.settled.resolve()
  }

  undone(): void {
    if (this.#handed) this.#acknowledgements.putBack(this.#handed)
    this.#handed = undefined
  }
}
