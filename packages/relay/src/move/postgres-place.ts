// One end of a move: the database of relays that share one. It is on one connection, and locked as long as that stands.
import { CodedError, moveLimits, pause, systemClock } from '@postern/protocol'
import type { Client, QueryConfig } from 'pg'
import { Connector } from '../store/postgres/connect.ts'
import { migrate } from '../store/postgres/migrate.ts'
import { postgresMigrations } from '../store/postgres/migrations.ts'
import { MOVE_LOCK, moveNoteIn } from '../store/postgres/move-note-rows.ts'
import { openPostgres, placeOf } from '../store/postgres/open-postgres.ts'
import { type Queries, queriesOn } from '../store/postgres/queries.ts'
import type { Found } from './moved-figures.ts'

export class PostgresPlace {
  readonly queries: Queries
  readonly place: string
  readonly #client: Client

  private constructor(client: Client, place: string) {
    this.#client = client
    this.place = place
    this.queries = queriesOn({ query: asked => client.query(patient(asked)) })
  }

  /** Throws `database-…` when it cannot be used, a relay works on it, or it is of another version. */
  static async open(address: string): Promise<PostgresPlace> {
    const place = placeOf(address)
    await bringUpToDate(address, place)
    const client = await (await Connector.load(address)).connect(() => undefined)
    const opened = new PostgresPlace(client, place)
    try {
      await opened.#lock()
      return opened
    } catch (error) {
      await opened.close()
      throw error
    }
  }

  async #lock(): Promise<void> {
    const { queries, place } = this
    await queries.script('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    const lock = await queries.one<{ isOurs: boolean }>(`SELECT pg_try_advisory_lock${MOVE_LOCK} AS "isOurs"`)
    if (!lock?.isOurs) throw new CodedError('database-moving', { place })
    const schema = await queries.one<{ version: number }>('SELECT version FROM schema_version')
    if (schema?.version !== postgresMigrations.length) throw new CodedError('database-newer', { directory: place })
    // One that was just stopped is seen for another moment.
    for (let looks = 0; await this.#isInUse(); looks++) {
      if (looks === moveLimits.relayLooks) throw new CodedError('database-in-use', { place })
      await pause(systemClock, moveLimits.relayLookEveryMs, new AbortController().signal)
    }
  }

  /** The lock keeps off those that start; those that run are seen by their connections. */
  async #isInUse(): Promise<boolean> {
    const others = await this.queries.one<{ count: number }>(
      `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database()
       AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()`,
    )
    return (others?.count ?? 0) > 0
  }

  async find(incarnation: Uint8Array): Promise<Found> {
    const found = await this.queries.one<{ isEmpty: boolean; isSame: boolean }>(
      `SELECT NOT EXISTS (SELECT 1 FROM account) AND NOT EXISTS (SELECT 1 FROM invite) AS "isEmpty",
         (SELECT id FROM incarnation) = $1 AS "isSame"`,
      [Buffer.from(incarnation)],
    )
    if (found?.isEmpty) return 'empty'
    if (!found?.isSame) return 'another relay'
    return (await moveNoteIn(this.queries)) ? 'left behind' : 'the same relay'
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined)
  }
}

/** The way to it gives up soon on what a relay asks; what is asked here may take long. */
function patient(asked: QueryConfig | string): QueryConfig {
  const config = typeof asked === 'string' ? { text: asked } : asked
  const timeout = { query_timeout: moveLimits.statementMs }
  return { ...config, ...timeout }
}

/** As the next start of a relay would, and makes the tables where there are none. */
async function bringUpToDate(address: string, place: string): Promise<void> {
  const database = await openPostgres(address)
  try {
    await migrate(database, place)
  } finally {
    await database.close()
  }
}
