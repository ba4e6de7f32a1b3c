// Opens the database at the start: a wrong address or a failed connection becomes one line for the operator.
import { CodedError, systemCodeOf } from '@postern/protocol'
import type { Admission } from './connect.ts'
import { Postgres } from './database.ts'
import { isSharedSession } from './session.ts'
import { causeOf } from './storage-error.ts'

/** Throws `database-unreachable`. */
export async function openPostgres(address: string, admission?: Admission): Promise<Postgres> {
  const place = placeOf(address)
  const database = await Postgres.load(address, admission)
  try {
    await database.rows('SELECT 1')
    return database
  } catch (error) {
    await database.close()
    throw unreachable(place, error)
  }
}

/** Turns the error of the server or the connection into a line for the operator. */
export const unreachable = (place: string, error: unknown): CodedError =>
  new CodedError('database-unreachable', { place, why: whyOf(error) }, { cause: error })

/**
 * The role lacks a right, the server takes no writes, or a pooler shares sessions:
 * a retry would get the same answer.
 */
export function isForbidden(error: unknown): boolean {
  const code = systemCodeOf(causeOf(error))
  return code === '42501' || code === '25006' || isSharedSession(code)
}

/** Host and name, for people: never the part before them, which contains a password. */
export function placeOf(address: string): string {
  const behindPassword = address.slice(address.lastIndexOf('@') + 1)
  return behindPassword.replace(/^[a-z]+:\/\//, '').replace(/\?.*$/, '')
}

function whyOf(error: unknown): string {
  const said = causeOf(error)
  if (isSharedSession(systemCodeOf(said)))
    return 'a pooler in front of it shares sessions between transactions; set its pool_mode to session'
  const [first] = String(said instanceof Error ? said.message || said.name : said).split('\n')
  return first || 'it does not answer'
}
