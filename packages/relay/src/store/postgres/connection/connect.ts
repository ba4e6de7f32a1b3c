// The way to the database: one file knows the driver, which is loaded only when somebody asks for it.
import type { Socket } from 'node:net'
import { postgresLimits } from '@postern/protocol'
import type pg from 'pg'
import type { Client, ClientConfig } from 'pg'
import { encryptionOf, isAboutEncryption } from './encryption.ts'
import { Servers } from './servers.ts'
import { setSession } from './session.ts'

type Driver = typeof pg

/** Whole numbers of eight bytes as numbers: none of ours is beyond 2^53. */
const INT8 = 20
/** The server's own word for it, if it were written to. */
const READ_ONLY = '25006'

/** Says goodbye and waits for nothing: a server that stands still must not hold up whoever has done with it. */
export function endClient(client: Client): void {
  client.end().catch(() => undefined)
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.destroySoon()
}

/** As the server lists the connections of a relay, and those of a command. */
export const RELAY_NAME = 'postern-relay'
const COMMAND_NAME = 'postern-command'

/** What a relay asks of every connection of its own; commands ask nothing. */
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
   * A connection of its own, to the first that takes it: the server that was good last is tried first. `onLost` is called once
   * when it is gone; nothing that happens to it ends the process.
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

  /** What was under way there was given up: the next connection is tried elsewhere, if there is an elsewhere. */
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
      // Left open, a try that came too late would hold a place at the server.
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

/** Of several servers, all but one are standbys. */
async function assertTakesWrites(client: Client): Promise<void> {
  const asked = `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`
  const { rows } = await client.query<{ isReadOnly: boolean }>(asked)
  if (rows[0]?.isReadOnly) throw Object.assign(new Error('no server takes writes'), { code: READ_ONLY })
}

function configOf(driver: Driver, address: string): ClientConfig {
  return {
    connectionString: address,
    connectionTimeoutMillis: postgresLimits.connectMs,
    // Behind the server's own: for a server that is not there any more, or that waits for its standbys.
    query_timeout: postgresLimits.statementMs + postgresLimits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: postgresLimits.keepAliveMs,
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
