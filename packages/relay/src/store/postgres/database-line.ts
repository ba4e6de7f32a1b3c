// One connection that is kept for one purpose, and made again by whoever needs it next after it was lost.
import { CodedError } from '@postern/protocol'
import type { Client } from 'pg'
import type { Connector } from './connect.ts'
import { type Queries, queriesOn } from './queries.ts'
import { databaseFault, isAnswer } from './storage-error.ts'
import { type Committed, transact } from './transaction.ts'

export class DatabaseLine {
  readonly #connector: Connector
  #client: Promise<Client> | undefined
  #isClosed = false

  constructor(connector: Connector) {
    this.#connector = connector
  }

  /** Settles once the connection is there. `onLost` is called when it is gone: then it has to be asked for again. */
  async connected(onLost: () => void = () => {}): Promise<Client> {
    if (this.#isClosed) throw new CodedError('stopping')
    this.#client ??= this.#connector.connect(() => {
      this.#client = undefined
      onLost()
    })
    try {
      return await this.#client
    } catch (error) {
      this.#client = undefined
      throw databaseFault(error)
    }
  }

  async use<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await this.connected()
    try {
      return await work(queriesOn(client))
    } catch (error) {
      this.#dropUnlessAnswered(client, error)
      throw error
    }
  }

  async transaction<T>(work: (tx: Queries) => Promise<T>): Promise<Committed<T>> {
    const client = await this.connected()
    try {
      const done = await transact(client, work)
      if (done.kind === 'in-doubt') this.#drop(client)
      return done
    } catch (error) {
      this.#dropUnlessAnswered(client, error)
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = await this.#client?.catch(() => undefined)
    await client?.end().catch(() => undefined)
  }

  /** A statement that was given up on may still be under way: what comes next on the connection would wait behind it. */
  #dropUnlessAnswered(client: Client, error: unknown): void {
    const said = error instanceof CodedError ? error.cause : error
    if (said !== undefined && !isAnswer(said)) this.#drop(client)
  }

  #drop(client: Client): void {
    this.#client = undefined
    client.end().catch(() => undefined)
  }
}
