// The database of a shared store: a small pool for any query, and dedicated connections for one purpose each.
import { postgresLimits } from '@postern/protocol'
import { type Admission, Connector } from './connect.ts'
import { DedicatedConnection } from './dedicated-connection.ts'
import type { Queries } from './queries.ts'
import { ResourcePool } from './resource-pool.ts'

/** The requests of one caller: those that still wait for a connection are dropped when the caller disconnects. */
export type CallerQueries = Queries & { transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> }

export class Postgres implements Queries {
  readonly #connector: Connector
  readonly #lines: DedicatedConnection[] = []
  readonly #gate: ResourcePool<DedicatedConnection>

  private constructor(connector: Connector) {
    this.#connector = connector
    const shared = Array.from({ length: postgresLimits.poolConnections }, () => this.line())
    this.#gate = new ResourcePool(shared, { waitingMax: postgresLimits.poolWaitingMax })
  }

  static async load(address: string, admission?: Admission): Promise<Postgres> {
    return new Postgres(await Connector.load(address, admission))
  }

  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#ask(queries => queries.rows<Row>(text, values))
  }

  one<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined> {
    return this.#ask(queries => queries.one<Row>(text, values))
  }

  run(text: string, values?: readonly unknown[]): Promise<number> {
    return this.#ask(queries => queries.run(text, values))
  }

  script(text: string): Promise<void> {
    return this.#ask(queries => queries.script(text))
  }

  /**
   * Commits when `work` is done, rolls back when it throws.
   * If the connection is lost at the commit, it throws as if it had failed: ask again.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#gate.use(async line => {
      const done = await line.transaction(work)
      if (done.kind === 'in-doubt') throw done.error
      return done.value
    }, signal)
  }

  /** For a caller that disconnects when `signal` is aborted. */
  until(signal: AbortSignal | undefined): CallerQueries {
    if (!signal) return this
    const ask = <T>(work: (queries: Queries) => Promise<T>): Promise<T> => this.#ask(work, signal)
    return {
      rows: <Row>(text: string, values?: readonly unknown[]) => ask(queries => queries.rows<Row>(text, values)),
      one: <Row>(text: string, values?: readonly unknown[]) => ask(queries => queries.one<Row>(text, values)),
      run: (text, values) => ask(queries => queries.run(text, values)),
      script: text => ask(queries => queries.script(text)),
      transaction: work => this.transaction(work, signal),
    }
  }

  /** A connection for one purpose. Closed with the database. */
  line(): DedicatedConnection {
    const line = new DedicatedConnection(this.#connector)
    this.#lines.push(line)
    return line
  }

  async close(): Promise<void> {
    await Promise.all(this.#lines.map(line => line.close()))
  }

  #ask<T>(work: (queries: Queries) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#gate.use(line => line.use(work), signal)
  }
}
