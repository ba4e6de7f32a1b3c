// The database of a shared store: a few connections for whatever is asked, and those that are kept for one purpose each.
import { postgresLimits } from '@postern/protocol'
import type { Pool } from 'pg'
import { Connector } from './connect.ts'
import { DatabaseLine } from './database-line.ts'
import { Gate } from './gate.ts'
import { type Queries, queriesOn } from './queries.ts'
import { databaseFault } from './storage-error.ts'
import { transact } from './transaction.ts'

export class Postgres implements Queries {
  readonly rows: Queries['rows']
  readonly one: Queries['one']
  readonly run: Queries['run']
  readonly script: Queries['script']
  readonly #connector: Connector
  readonly #pool: Pool
  readonly #lines: DatabaseLine[] = []
  readonly #gate = new Gate({ places: postgresLimits.poolConnections, waitingMax: postgresLimits.poolWaitingMax })

  private constructor(connector: Connector) {
    this.#connector = connector
    this.#pool = connector.pool()
    const { rows, one, run, script } = queriesOn({ query: asked => this.#gate.through(() => this.#pool.query(asked)) })
    this.rows = rows
    this.one = one
    this.run = run
    this.script = script
  }

  static async load(address: string): Promise<Postgres> {
    return new Postgres(await Connector.load(address))
  }

  /** Committed when `work` is done, undone when it throws. Lost in between, it throws as if it had failed: ask again. */
  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    return this.#gate.through(() => this.#transact(work))
  }

  async #transact<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw databaseFault(error)
    })
    let fault: Error | undefined
    try {
      const done = await transact(client, work)
      if (done.kind === 'in-doubt') throw done.error
      return done.value
    } catch (error) {
      fault = databaseFault(error)
      throw error
    } finally {
      // One that may be broken is not handed to the next.
      client.release(fault?.cause !== undefined)
    }
  }

  /** A connection that is used for one purpose. Closed with the database. */
  line(): DatabaseLine {
    const line = new DatabaseLine(this.#connector)
    this.#lines.push(line)
    return line
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), ...this.#lines.map(line => line.close())])
  }
}
