// The way to the database: one file knows the driver, which is loaded only when somebody asks for it.
import type { Socket } from 'node:net'
import { CodedError, postgresLimits } from '@postern/protocol'
import type pg from 'pg'
import type { Client, ClientConfig } from 'pg'
import { serversIn } from './address.ts'

type Driver = typeof pg

type Parse = (text: string | Buffer) => unknown

/** Whole numbers of eight bytes as numbers: none of ours is beyond 2^53. */
const INT8 = 20

/** Says goodbye and waits for nothing: a server that stands still must not hold up whoever has done with it. */
export function endClient(client: Client): void {
  client.end().catch(() => undefined)
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.destroySoon()
}

export class Connector {
  readonly #driver: Driver
  /** Of each server, the one that was found last first. */
  #configs: readonly ClientConfig[]
  readonly #isForWriting: boolean

  private constructor(driver: Driver, address: string) {
    const { addresses, isForWriting } = serversIn(address)
    this.#driver = driver
    this.#configs = addresses.map(one => configOf(driver, one))
    this.#isForWriting = isForWriting
  }

  static async load(address: string): Promise<Connector> {
    const { default: driver } = await import('pg')
    return new Connector(driver, address)
  }

  /** A connection of its own. `onLost` is called once when it is gone; nothing that happens to it ends the process. */
  async connect(onLost: () => void): Promise<Client> {
    let fault: unknown
    for (const config of this.#configs) {
      try {
        const client = await this.#connectTo(config, onLost)
        this.#configs = [config, ...this.#configs.filter(other => other !== config)]
        return client
      } catch (error) {
        fault = error
      }
    }
    throw fault
  }

  async #connectTo(config: ClientConfig, onLost: () => void): Promise<Client> {
    const client = new this.#driver.Client(config)
    let isLost = false
    const lose = (): void => {
      if (!isLost) onLost()
      isLost = true
    }
    client.on('error', lose)
    client.on('end', lose)
    try {
      await client.connect()
      if (this.#isForWriting) await checkWritable(client)
      return client
    } catch (error) {
      // Left open, a try that came too late would hold a place at the server.
      isLost = true
      endClient(client)
      throw error
    }
  }
}

/** A standby follows the one that is looked for. */
async function checkWritable(client: Client): Promise<void> {
  const { rows } = await client.query<{ readOnly: string }>(
    'SELECT current_setting(\'transaction_read_only\') AS "readOnly"',
  )
  if (rows[0]?.readOnly !== 'off') throw new CodedError('unavailable', {}, { cause: new Error('it is a standby') })
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
      getTypeParser: (oid: number, format?: 'text' | 'binary'): Parse =>
        oid === INT8 ? Number : (driver.types.getTypeParser(oid, format) as Parse),
    },
  }
}
