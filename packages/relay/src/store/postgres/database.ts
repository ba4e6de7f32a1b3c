// The database of a shared store: a few connections for whatever is asked, and those that are kept for one purpose each.
import { postgresLimits } from '@postern/protocol'
import type { Pool, PoolClient } from 'pg'
import { Connector } from './connect.ts'
import { Gate } from './gate.ts'
import { Line } from './line.ts'
import { type Queries, queriesOn } from './queries.ts'
import { databaseFault, isAnswer } from './storage-error.ts'
import { transact } from './transaction.ts'

export class Postgres implements Queries {
  readonly rows: Queries['rows']
  readonly one: Queries['one']
  readonly run: Queries['run']
  readonly script: Queries['script']
  readonly #connector: Connector
  readonly #pool: Pool
  readonly #lines: Line[] = []
  readonly #gate = new Gate({ places: postgresLimits.poolConnections, waitingMax: postgresLimits.poolWaitingMax })

  private constructor(connector: Connector) {
    this.#connector = connector
    this.#pool = connector.pool()
    const { rows, one, run, script } = queriesOn({ query: asked => this.#with(client => client.query(asked)) })
    this.rows = rows
    this.one = one
    this.run = run
    this.script = script
  }

  static async load(address: string): Promise<Postgres> {
    return new Postgres(await Connector.load(address))
  }

  /** Committed when `work` is done, undone when it throws. Lost in between, it throws as if it had failed: ask again. */
  async transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    return await this.#with(async client => {
      const done = await transact(client, work)
      if (done.kind === 'in-doubt') throw done.error
      return done.value
    })
  }

  #with<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#gate.through(() => this.#withClient(work))
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connector.checkOut(this.#pool).catch((error: unknown) => {
      throw databaseFault(error)
    })
    let isBroken = false
    try {
      return await work(client)
    } catch (error) {
      const { cause } = databaseFault(error)
      isBroken = cause !== undefined && !isAnswer(cause)
      throw error
    } finally {
      // One that may be broken is not handed to the next.
      client.release(isBroken)
    }
  }

  /** A connection that is used for one purpose. Closed with the database. */
  line(): Line {
    const line = new Line(this.#connector)
    this.#lines.push(line)
    return line
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), ...this.#lines.map(line => line.close())])
  }
}
