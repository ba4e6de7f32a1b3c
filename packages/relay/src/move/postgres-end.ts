// The PostgreSQL end of a move. It uses one connection, which holds a lock while it is open.
import { type Clock, CodedError, moveLimits, pause } from '@postern/protocol'
import type { Client, QueryConfig } from 'pg'
import { Connector } from '../store/postgres/connection/connect.ts'
import { openPostgres, placeOf } from '../store/postgres/connection/open-postgres.ts'
import { type Queries, queriesOn } from '../store/postgres/connection/queries.ts'
import { keepRelaysOut } from '../store/postgres/connection/relay-claim.ts'
import { migrate } from '../store/postgres/schema/migrate.ts'
import { postgresMigrations } from '../store/postgres/schema/migrations.ts'
import { MOVE_LOCK, postgresMoveNote } from '../store/postgres/tools/move-note-rows.ts'
import type { TargetState } from './moved-figures.ts'

export class PostgresEnd {
  readonly queries: Queries
  readonly place: string
  readonly #client: Client
  #isLocked = false

  private constructor(client: Client, place: string) {
    this.#client = client
    this.place = place
    this.queries = queriesOn({ query: asked => client.query(patient(asked)) })
  }

  /** Throws `database-…` if the database cannot be used, a relay works on it, or it has another version. */
  static async open(address: string, clock: Clock): Promise<PostgresEnd> {
    const place = placeOf(address)
    await bringUpToDate(address, place)
    const client = await (await Connector.load(address)).connect(() => undefined)
    const opened = new PostgresEnd(client, place)
    try {
      await opened.#claim(clock)
      return opened
    } catch (error) {
      await opened.close()
      throw error
    }
  }

  /** A relay that was just stopped or killed stays visible for a moment. */
  async #claim(clock: Clock): Promise<void> {
    await this.queries.script('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    const schema = await this.queries.one<{ version: number }>('SELECT version FROM schema_version')
    if (schema?.version !== postgresMigrations.length) throw new CodedError('database-newer', { directory: this.place })
    for (let looks = 1; ; looks++) {
      const refusal = (await this.#lock()) ?? (await this.inUse())
      if (!refusal) return
      if (looks === moveLimits.relayLooks) throw refusal
      await pause(clock, moveLimits.relayLookEveryMs, new AbortController().signal)
    }
  }

  async #lock(): Promise<CodedError | undefined> {
    if (this.#isLocked) return undefined
    const lock = await this.queries.one<{ isOurs: boolean }>(`SELECT pg_try_advisory_lock${MOVE_LOCK} AS "isOurs"`)
    this.#isLocked = lock?.isOurs ?? false
    return this.#isLocked ? undefined : new CodedError('database-moving', { place: this.place })
  }

  /** From here on, relays that start or reconnect are refused. */
  inUse(): Promise<CodedError | undefined> {
    return keepRelaysOut(this.queries, { place: this.place, until: 'disconnect' })
  }

  async find(incarnation: Uint8Array): Promise<TargetState> {
    const found = await this.queries.one<{ isEmpty: boolean; isSame: boolean }>(
      `SELECT NOT EXISTS (SELECT 1 FROM account) AND NOT EXISTS (SELECT 1 FROM invite) AS "isEmpty",
         (SELECT id FROM incarnation) = $1 AS "isSame"`,
      [Buffer.from(incarnation)],
    )
    if (found?.isEmpty) return 'empty'
    if (!found?.isSame) return 'another relay'
    return (await postgresMoveNote(this.queries)) ? 'left behind' : 'the same relay'
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined)
  }
}

/** The connection's timeout is short, for a relay's queries; those of a move may take long. */
function patient(asked: QueryConfig | string): QueryConfig {
  const config = typeof asked === 'string' ? { text: asked } : asked
  const timeout = { query_timeout: moveLimits.statementMs }
  return { ...config, ...timeout }
}

/** Migrates the schema as the next start of a relay would, and creates missing tables. */
async function bringUpToDate(address: string, place: string): Promise<void> {
  const database = await openPostgres(address)
  try {
    await migrate(database, place)
  } finally {
    await database.close()
  }
}
