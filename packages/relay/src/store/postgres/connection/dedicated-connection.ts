// One connection that is kept for one purpose, and made again by whoever needs it next after it was lost.
import { CodedError, postgresLimits } from '@postern/protocol'
import type { Client, QueryConfig } from 'pg'
import { type Connector, endClient } from './connect.ts'
import { type Queries, queriesOn } from './queries.ts'
import { databaseFault, isAnswer } from './storage-error.ts'
import { type Last, type TransactionOutcome, transact, type Work } from './transaction.ts'

export class DedicatedConnection {
  readonly #connector: Connector
  #client: Promise<Client> | undefined
  readonly #comings = new WeakMap<Client, Promise<Client>>()
  #isClosed = false

  constructor(connector: Connector) {
    this.#connector = connector
  }

  /** Settles once the connection is there. `onLost` is called when it is gone: then it has to be asked for again. */
  async connected(onLost: () => void = () => {}): Promise<Client> {
    if (this.#isClosed) throw new CodedError('stopping')
    this.#client ??= this.#connect(onLost)
    const coming = this.#client
    const client = await coming
    this.#comings.set(client, coming)
    return client
  }

  #connect(onLost: () => void): Promise<Client> {
    const coming = this.#connector
      .connect(() => {
        if (forget()) onLost()
      })
      .catch((error: unknown) => {
        forget()
        throw databaseFault(error)
      })
    // One that was given up on is heard of late: another may have taken its place.
    const forget = (): boolean => {
      const isCurrent = this.#client === coming
      if (isCurrent) this.#client = undefined
      return isCurrent
    }
    return coming
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

  /** Throws if the server does not answer in time, and gives the connection up. */
  async probe(): Promise<void> {
    const client = await this.connected()
    try {
      await client.query({ text: 'SELECT 1', query_timeout: postgresLimits.probeMs } as QueryConfig)
    } catch (error) {
      this.#dropUnlessAnswered(client, error)
      throw databaseFault(error)
    }
  }

  async transaction<T>(work: Work<T>, last: Last = () => []): Promise<TransactionOutcome<T>> {
    const client = await this.connected()
    try {
      const done = await transact(client, work, last)
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
    if (client) endClient(client)
  }

  /** A statement that was given up on may still be under way: what comes next on the connection would wait behind it. */
  #dropUnlessAnswered(client: Client, error: unknown): void {
    const said = error instanceof CodedError ? error.cause : error
    if (said !== undefined && !isAnswer(said)) this.#drop(client)
  }

  #drop(client: Client): void {
    // Whoever else has found out before may have another one by now, which would stay open unseen.
    if (this.#client === this.#comings.get(client)) this.#client = undefined
    this.#connector.distrust()
    endClient(client)
  }
}
