// Opens the database at the start: what is wrong with its address, or with the way to it, is one line for the operator.
import { CodedError } from '@postern/protocol'
import { Postgres } from './database.ts'

/** Throws `database-unreachable`. */
export async function openPostgres(address: string): Promise<Postgres> {
  const place = placeOf(address)
  const database = await Postgres.load(address)
  try {
    await database.rows('SELECT 1')
    return database
  } catch (error) {
    await database.close()
    throw new CodedError('database-unreachable', { place, why: whyOf(error) }, { cause: error })
  }
}

/** Host and name, for people: never what stands before them, which is a password. */
export function placeOf(address: string): string {
  const behindPassword = address.slice(address.lastIndexOf('@') + 1)
  return behindPassword.replace(/^[a-z]+:\/\//, '').replace(/\?.*$/, '')
}

function whyOf(error: unknown): string {
  const said = error instanceof CodedError ? error.cause : error
  const [first] = String(said instanceof Error ? said.message || said.name : said).split('\n')
  return first || 'it does not answer'
}
