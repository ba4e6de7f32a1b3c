// Checks each connection of a relay before its use: writes into a moved, restored or outdated database would be lost.
import { CodedError } from '@postern/protocol'
import type { Client } from 'pg'
import { RELAY_NAME } from './connect.ts'
import { type Queries, queriesOn } from './queries.ts'
import type { Timelines } from './timelines.ts'

/**
 * Every connection of a relay holds this lock shared.
 * A command that must not run beside a relay takes it exclusively.
 */
const RELAY_LOCK = '(7, 2)'
/** The code of a write on a standby: the connector then tries another server, and clients retry. */
const READ_ONLY = '25006'

type Greeting = {
  isFree: boolean
  isStandby: boolean
  isReadOnly: boolean
  /** Null while a restore has not filled that table yet. */
  isSame: boolean | null
}

const GREET = `SELECT pg_try_advisory_lock_shared${RELAY_LOCK} AS "isFree", pg_is_in_recovery() AS "isStandby",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly", (SELECT id FROM incarnation) = $1 AS "isSame"`

type Claimed = {
  incarnation: Uint8Array
  timelines: Timelines
  /** The database's address, without its password. */
  place: string
  /** Where the relay was moved to, if it was. */
  movedTo: (queries: Queries) => Promise<string | undefined>
  /** The relay must stop: this is no longer its database. */
  onReplaced: (error: CodedError) => void
}

export class RelayClaim {
  readonly #incarnation: Buffer
  readonly #claimed: Claimed
  #isReplaced = false

  constructor(claimed: Claimed) {
    this.#incarnation = Buffer.from(claimed.incarnation)
    this.#claimed = claimed
  }

  /**
   * Throws an error that `databaseFault` maps to `unavailable`.
   * `risen`: earlier connections lead to an old primary.
   */
  async admit(client: Client): Promise<'same' | 'risen'> {
    const { rows } = await client.query<Greeting>(GREET, [this.#incarnation])
    const [found] = rows
    if (!found || found.isStandby || found.isReadOnly) throw refusal('the server takes no writes')
    if (!found.isFree) throw refusal('the database is being moved or was just restored')
    if (found.isSame === null) throw refusal('the database has no incarnation: it is empty, or is being restored')
    const { place, timelines } = this.#claimed
    if (!found.isSame) throw this.#replaced(new CodedError('database-replaced', { place }))
    const movedTo = await this.#claimed.movedTo(queriesOn(client))
    if (movedTo !== undefined)
      throw this.#replaced(new CodedError('database-moved', { directory: place, place: movedTo }))
    const timeline = await timelines.compare(client)
    if (timeline.kind === 'behind') throw refusal(timeline.why)
    return timeline.kind
  }

  /** No later connection can succeed: the state in this relay's memory belongs to other data. */
  #replaced(error: CodedError): Error {
    if (!this.#isReplaced) this.#claimed.onReplaced(error)
    this.#isReplaced = true
    return refusal(error.message)
  }
}

/** Each restore gives the database a new incarnation. */
export async function sharedIncarnation(queries: Queries): Promise<Uint8Array> {
  const row = await queries.one<{ id: Uint8Array }>('SELECT id FROM incarnation')
  return new Uint8Array(row?.id ?? [])
}

const refusal = (why: string): Error => Object.assign(new Error(why), { code: READ_ONLY })

/** `until`: keep the lock for the connection or for the transaction. */
type Keeping = { place: string; until: 'disconnect' | 'commit' }

/**
 * Keeps relays out: detects running ones, and makes starting or reconnecting ones fail. Returns `database-in-use` while
 * there is one. Relays from before this lock are found by the name of their connections.
 */
export async function keepRelaysOut(queries: Queries, { place, until }: Keeping): Promise<CodedError | undefined> {
  const lock = until === 'commit' ? 'pg_try_advisory_xact_lock' : 'pg_try_advisory_lock'
  const found = await queries.one<{ isOurs: boolean; relays: number }>(
    `SELECT ${lock}${RELAY_LOCK} AS "isOurs", (SELECT count(*) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = '${RELAY_NAME}') AS relays`,
  )
  return found?.isOurs && found.relays === 0 ? undefined : new CodedError('database-in-use', { place })
}
