// A session of a test's own at the database of relays: it holds locks against them, and hears what they tell each other.
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
    // Its database is dropped with the test.
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

  /** Devices that were claimed since the last time, as other relays hear of them: what is told comes in one order. */
  async claimsTold(): Promise<string[]> {
    const mark = `mark ${++this.#marks}`
    await this.rows('SELECT pg_notify($1, $2)', [CHANNEL, mark])
    while (!this.#heard.includes(mark)) await this.rows('SELECT 1')
    const told = this.#heard.splice(0)
    return told.filter(words => words.startsWith('device-claimed')).map(words => words.split(' ')[2] ?? '')
  }

  /** Settles when so many sessions wait for a lock of this kind. */
  async untilWaiting(count: number): Promise<void> {
    const text =
      'SELECT count(*)::integer AS waiting FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())'
    for (;;) {
      const [row] = await this.rows<{ waiting: number }>(text)
      if ((row?.waiting ?? 0) >= count) return
    }
  }

  /** All claims of devices stand still until the session commits. */
  async holdClaims(): Promise<void> {
    await this.rows('BEGIN')
    await this.rows('LOCK TABLE device IN ACCESS EXCLUSIVE MODE')
  }

  async letGo(): Promise<void> {
    await this.rows('COMMIT')
  }
}
