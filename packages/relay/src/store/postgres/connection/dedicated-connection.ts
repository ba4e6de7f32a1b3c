// One connection for one purpose. After a loss, the next caller opens it again.
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

  /** Settles once the connection is open. `onLost` is called when it is lost; call this again then. */
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
    // An abandoned connection may end late: another one may have replaced it.
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

  /** Throws if the server does not answer in time, and drops the connection. */
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

  /** An abandoned statement may still run: the next one on the connection would wait behind it. */
  #dropUnlessAnswered(client: Client, error: unknown): void {
    const said = error instanceof CodedError ? error.cause : error
    if (said !== undefined && !isAnswer(said)) this.#drop(client)
  }

  #drop(client: Client): void {
    // Another caller may have noticed before and opened a new connection, which must not be forgotten while open.
    if (this.#client === this.#comings.get(client)) this.#client = undefined
    this.#connector.distrust()
    endClient(client)
  }
}
