// Sets up each connection with statements: poolers such as PgBouncer refuse startup parameters.
import { postgresLimits } from '@postern/protocol'
import type { Client } from 'pg'

type LineSource = { line(): { connected(): Promise<Client>; close(): Promise<void> } }

/**
 * Every statement uses an index, whatever its parameters are, and is planned once per connection. A plan made for a
 * small table would read all of it when it has grown, and planning each call costs more than the call.
 */
const settings: Readonly<Record<string, string>> = {
  statement_timeout: String(postgresLimits.statementMs),
  idle_in_transaction_session_timeout: String(postgresLimits.statementMs),
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
}

/** The server ignores these on a Unix socket, so the check leaves them out. */
const socketSettings: Readonly<Record<string, string>> = {
  tcp_user_timeout: String(postgresLimits.statementMs),
  tcp_keepalives_idle: String(Math.ceil(postgresLimits.keepAliveMs / 1000)),
}

const SET_ALL = Object.entries({ ...settings, ...socketSettings })
  .map(([name, value]) => `SET ${name} = '${value}'`)
  .join('; ')

/** Throws if a setting is lost: behind a pooler that shares sessions, each statement may run in another session. */
export async function setSession(client: Client): Promise<void> {
  await client.query(SET_ALL)
  const { rows } = await client.query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [Object.keys(settings)],
  )
  if (rows.some(({ name, setting }) => settings[name] !== setting)) throw sharedSessions()
}

const SHARED_SESSIONS = '08P01'

const sharedSessions = (): Error => Object.assign(new Error('a session is shared'), { code: SHARED_SESSIONS })

/** A prepared statement is unknown, or its name is taken: both happen only in another session. */
export const isSharedSession = (code: string): boolean => [SHARED_SESSIONS, '42P05', '26000'].includes(code)

/**
 * Throws behind a pooler that gives each transaction another session: locks and settings are lost there. While the
 * second connection is in a transaction, such a pooler has given it the session of the first, or gives the first
 * another one.
 */
export async function assertOwnSessions(database: LineSource): Promise<void> {
  const lines = [database.line(), database.line()] as const
  try {
    const [first, second] = await Promise.all(lines.map(line => line.connected()))
    if (!first || !second || !(await haveOwnSessions(first, second))) throw sharedSessions()
  } finally {
    await Promise.all(lines.map(line => line.close()))
  }
}

async function haveOwnSessions(first: Client, second: Client): Promise<boolean> {
  const before = await pidOf(first)
  await second.query('BEGIN')
  const there = await pidOf(second)
  const here = await pidOf(first)
  return here === before && here !== there
}

const pidOf = async (client: Client): Promise<number | undefined> =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
