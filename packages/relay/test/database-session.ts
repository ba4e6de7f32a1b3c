// A test's own session at the database of relays: holds locks against them, and receives their notifications.
import pg from 'pg'
import { onTestFinished } from 'vitest'

const CHANNEL = 'postern_relay'

export class DatabaseSession {
  readonly #client: pg.Client
  readonly #heard: string[] = []
  #marks = 0

  private constructor(client: pg.Client) {
    this.#client = client
    client.on('notification', ({ payload = '' }) => this.#heard.push(payload))
    // The database is dropped with the test.
    client.on('error', () => undefined)
  }

  /** Ends with the test. */
  static async open(database: string): Promise<DatabaseSession> {
    const client = new pg.Client({ connectionString: database })
    const session = new DatabaseSession(client)
    await client.connect()
    onTestFinished(() => client.end().catch(() => undefined))
    await client.query(`LISTEN ${CHANNEL}`)
    return session
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(text, values)).rows
  }

  /** Devices claimed since the last call, from the notifications to other relays, which arrive in one order. */
  claimsTold(): Promise<string[]> {
    return this.#toldOf('device-claimed')
  }

  /** The same for accounts whose serial was raised. */
  serialsTold(): Promise<string[]> {
    return this.#toldOf('serial-raised')
  }

  async #toldOf(kind: string): Promise<string[]> {
    const mark = `mark ${++this.#marks}`
    await this.rows('SELECT pg_notify($1, $2)', [CHANNEL, mark])
    while (!this.#heard.includes(mark)) await this.rows('SELECT 1')
    const told = this.#heard.splice(0)
    return told.filter(words => words.startsWith(`${kind} `)).map(words => words.split(' ')[2] ?? '')
  }

  /** Settles when that many sessions wait for a lock. */
  async untilWaiting(count: number): Promise<void> {
    // Those that wait for a row wait for a transaction, which is in no database.
    const text = `
      SELECT count(DISTINCT pid)::integer AS waiting FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_locks
        WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database()))`
    for (;;) {
      const [row] = await this.rows<{ waiting: number }>(text)
      if ((row?.waiting ?? 0) >= count) return
    }
  }

  /** All claims of devices block until the session commits. */
  async holdClaims(): Promise<void> {
    await this.rows('BEGIN')
    await this.rows('LOCK TABLE device IN ACCESS EXCLUSIVE MODE')
  }

  async letGo(): Promise<void> {
    await this.rows('COMMIT')
  }
}
