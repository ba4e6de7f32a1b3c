// The way to the database: one file knows the driver, which is loaded only when somebody asks for it.
import { postgresLimits } from '@postern/protocol'
import type pg from 'pg'
import type { Client, ClientBase, ClientConfig, Pool, PoolClient } from 'pg'
import { Servers } from './servers.ts'

type Driver = typeof pg

/** Whole numbers of eight bytes as numbers: none of ours is beyond 2^53. */
const INT8 = 20
/** The server's own word for it, if it were written to. */
const READ_ONLY = '25006'
/** What the pool says when all of its connections are in use: that is no fault of the server. */
const POOL_USED_UP = 'timeout exceeded when trying to connect'

export class Connector {
  readonly #servers: Servers
  readonly #Client: new () => Client
  readonly #driver: Driver

  private constructor(driver: Driver, address: string) {
    const servers = new Servers(address)
    const config = configOf(driver)
    this.#driver = driver
    this.#servers = servers
    this.#Client = class extends driver.Client {
      constructor() {
        super({ ...config, connectionString: servers.chosen })
        // Lost while it is in use and nothing is asked of it: who asks next hears of it.
        this.on('error', () => undefined)
      }
    }
  }

  static async load(address: string): Promise<Connector> {
    const { default: driver } = await import('pg')
    return new Connector(driver, address)
  }

  /** A connection of its own. `onLost` is called once when it is gone; nothing that happens to it ends the process. */
  async connect(onLost: () => void): Promise<Client> {
    return await this.#atOneOfThem(() => this.#connectOnce(onLost))
  }

  /** A connection of the pool, to be released. */
  async checkOut(pool: Pool): Promise<PoolClient> {
    return await this.#atOneOfThem(() => pool.connect())
  }

  /** What was under way at it was given up: the next connection is tried elsewhere, if there is an elsewhere. */
  distrust(): void {
    this.#servers.passOver(this.#servers.chosen)
  }

  pool(): Pool {
    const pool = new this.#driver.Pool({
      Client: this.#Client,
      connectionTimeoutMillis: postgresLimits.connectMs,
      max: postgresLimits.poolConnections,
      idleTimeoutMillis: postgresLimits.poolIdleMs,
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, whatever its types say
      onConnect: client => this.#assertTakesWrites(client),
    })
    // One that is lost while nobody uses it is simply gone from the pool.
    pool.on('error', () => undefined)
    return pool
  }

  /** Each of the servers is tried once, the one that was good last first. */
  async #atOneOfThem<T>(connect: () => Promise<T>): Promise<T> {
    for (let left = this.#servers.count; ; left--) {
      const tried = this.#servers.chosen
      try {
        return await connect()
      } catch (error) {
        if (error instanceof Error && error.message === POOL_USED_UP) throw error
        this.#servers.passOver(tried)
        if (left <= 1) throw error
      }
    }
  }

  async #connectOnce(onLost: () => void): Promise<Client> {
    const client = new this.#Client()
    let isLost = false
    const lose = (): void => {
      if (!isLost) onLost()
      isLost = true
    }
    client.on('error', lose)
    client.on('end', lose)
    try {
      await client.connect()
      await this.#assertTakesWrites(client)
      return client
    } catch (error) {
      // Left open, a try that came too late would hold a place at the server.
      client.end().catch(() => undefined)
      throw error
    }
  }

  /** Of several servers, all but one are standbys. */
  async #assertTakesWrites(client: ClientBase): Promise<void> {
    if (this.#servers.count === 1) return
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
    if (rows[0]?.standby) throw Object.assign(new Error('no server takes writes'), { code: READ_ONLY })
  }
}

function configOf(driver: Driver): ClientConfig {
  const timeoutMs = postgresLimits.statementMs
  return {
    connectionTimeoutMillis: postgresLimits.connectMs,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    // Behind the server's own: for a server that is not there any more, or that waits for its standbys.
    query_timeout: timeoutMs + postgresLimits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: postgresLimits.keepAliveMs,
    options: Object.entries(sessionSettings(timeoutMs))
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    application_name: 'postern-relay',
    // A statement does not wait for the answer to the one before: only who asks does.
    pipeline: true,
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        (oid === INT8
          ? Number
          : driver.types.getTypeParser(oid, format)) as unknown) as typeof driver.types.getTypeParser,
    },
  }
}

/**
 * Every statement of ours goes by an index, whatever it is asked with: planned once for each connection. A plan that was made
 * while a table was small would otherwise read all of it when it has grown, and one for each call costs more than the call.
 */
const sessionSettings = (timeoutMs: number): Record<string, string | number> => ({
  tcp_user_timeout: timeoutMs,
  tcp_keepalives_idle: Math.ceil(postgresLimits.keepAliveMs / 1000),
  enable_seqscan: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
})
