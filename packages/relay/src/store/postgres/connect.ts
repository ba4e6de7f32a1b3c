// The way to the database: one file knows the driver, which is loaded only when somebody asks for it.
import { postgresLimits } from '@postern/protocol'
import type pg from 'pg'
import type { Client, ClientConfig, Pool } from 'pg'

type Driver = typeof pg

/** Whole numbers of eight bytes as numbers: none of ours is beyond 2^53. */
const INT8 = 20

export class Connector {
  readonly #driver: Driver
  readonly #config: ClientConfig

  private constructor(driver: Driver, address: string) {
    this.#driver = driver
    this.#config = configOf(driver, address)
  }

  static async load(address: string): Promise<Connector> {
    const { default: driver } = await import('pg')
    return new Connector(driver, address)
  }

  /** A connection of its own. `onLost` is called once when it is gone; nothing that happens to it ends the process. */
  async connect(onLost: () => void): Promise<Client> {
    const client = new this.#driver.Client(this.#config)
    let isLost = false
    const lose = (): void => {
      if (!isLost) onLost()
      isLost = true
    }
    client.on('error', lose)
    client.on('end', lose)
    try {
      await client.connect()
      return client
    } catch (error) {
      // Left open, a try that came too late would hold a place at the server.
      client.end().catch(() => undefined)
      throw error
    }
  }

  pool(): Pool {
    const pool = new this.#driver.Pool({
      ...this.#config,
      max: postgresLimits.poolConnections,
      idleTimeoutMillis: postgresLimits.poolIdleMs,
    })
    // One that is lost while nobody uses it is simply gone from the pool.
    pool.on('error', () => undefined)
    return pool
  }
}

function configOf(driver: Driver, address: string): ClientConfig {
  const timeoutMs = postgresLimits.statementMs
  return {
    connectionString: address,
    connectionTimeoutMillis: postgresLimits.connectMs,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    // Behind the server's own: for a server that is not there any more.
    query_timeout: timeoutMs + postgresLimits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: postgresLimits.keepAliveMs,
    options: `-c tcp_user_timeout=${timeoutMs} -c tcp_keepalives_idle=${Math.ceil(postgresLimits.keepAliveMs / 1000)}`,
    application_name: 'postern-relay',
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        oid === INT8 ? Number : driver.types.getTypeParser(oid, format)) as typeof driver.types.getTypeParser,
    },
  }
}
