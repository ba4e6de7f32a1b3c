// Connects to the database. Only this file knows the driver, which is loaded on demand.
import type { Socket } from 'node:net'
import { postgresLimits } from '@postern/protocol'
import type pg from 'pg'
import type { Client, ClientConfig } from 'pg'
import { encryptionOf, isAboutEncryption } from './encryption.ts'
import { Servers } from './servers.ts'
import { setSession } from './session.ts'

type Driver = typeof pg

/** 8-byte integers become numbers: none of ours exceeds 2^53. */
const INT8 = 20
/** The server's code for a write on a read-only server. */
const READ_ONLY = '25006'

/** Closes without waiting: a hanging server must not hold up the caller. */
export function endClient(client: Client): void {
  client.end().catch(() => undefined)
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.destroySoon()
}

/** The names under which the server lists connections of relays and of commands. */
export const RELAY_NAME = 'postern-relay'
const COMMAND_NAME = 'postern-command'

/** A relay's check of each of its connections; commands have none. */
export type Admission = { admit(client: Client): Promise<'same' | 'risen'> }

export class Connector {
  readonly #driver: Driver
  readonly #servers: Servers
  readonly #admission: Admission | undefined
  readonly #clients = new Set<Client>()

  private constructor(driver: Driver, address: string, admission: Admission | undefined) {
    this.#driver = driver
    this.#servers = new Servers(address)
    this.#admission = admission
  }

  static async load(address: string, admission?: Admission): Promise<Connector> {
    const { default: driver } = await import('pg')
    return new Connector(driver, address, admission)
  }

  /**
   * Opens a separate connection to the first server that accepts it, beginning with the last good one. `onLost` is
   * called once when the connection is lost; no error on it ends the process.
   */
  async connect(onLost: () => void): Promise<Client> {
    for (let left = this.#servers.count; ; left--) {
      const { chosen } = this.#servers
      try {
        return await this.#connectTo(chosen, onLost)
      } catch (error) {
        this.#servers.passOver(chosen)
        if (left <= 1) throw error
      }
    }
  }

  /** A request to the chosen server was abandoned: the next connection tries another server, if there is one. */
  distrust(): void {
    this.#servers.passOver(this.#servers.chosen)
  }

  async #connectTo(address: string, onLost: () => void): Promise<Client> {
    const { bare, attempts } = encryptionOf(address, process.env)
    const left = [...attempts]
    for (;;) {
      const ssl = left.shift() ?? false
      try {
        return await this.#connectBy({ ...configOf(this.#driver, bare), ssl }, onLost)
      } catch (error) {
        if (left.length === 0 || !isAboutEncryption(error)) throw error
      }
    }
  }

  async #connectBy(config: ClientConfig, onLost: () => void): Promise<Client> {
    const client = new this.#driver.Client({
      ...config,
      application_name: this.#admission ? RELAY_NAME : COMMAND_NAME,
    })
    let isLost = false
    const lose = (): void => {
      this.#clients.delete(client)
      if (!isLost) onLost()
      isLost = true
    }
    client.on('error', lose)
    client.on('end', lose)
    try {
      await client.connect()
      await this.#prepare(client)
      this.#clients.add(client)
      return client
    } catch (error) {
      // A late connection that stays open would occupy a slot at the server.
      isLost = true
      endClient(client)
      throw error
    }
  }

  async #prepare(client: Client): Promise<void> {
    await setSession(client)
    if (this.#admission) {
      if ((await this.#admission.admit(client)) === 'risen') for (const older of this.#clients) endClient(older)
    } else if (this.#servers.isToBeAsked) await assertTakesWrites(client)
  }
}

/** With several servers, all but one are standbys. */
async function assertTakesWrites(client: Client): Promise<void> {
  const asked = `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`
  const { rows } = await client.query<{ isReadOnly: boolean }>(asked)
  if (rows[0]?.isReadOnly) throw Object.assign(new Error('no server takes writes'), { code: READ_ONLY })
}

function configOf(driver: Driver, address: string): ClientConfig {
  return {
    connectionString: address,
    connectionTimeoutMillis: postgresLimits.connectMs,
    // Longer than the server's own timeout: for a server that is gone, or that waits for its standbys.
    query_timeout: postgresLimits.statementMs + postgresLimits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: postgresLimits.keepAliveMs,
    // Statements are sent without waiting for earlier answers; only their callers wait.
    pipeline: true,
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        (oid === INT8
          ? Number
          : driver.types.getTypeParser(oid, format)) as unknown) as typeof driver.types.getTypeParser,
    },
  }
}
