// Databases for tests on PostgreSQL: one for each caller, from the server of the run, which the first of them starts.

/** The address that hands out the run's databases; set by `postgres-run.ts`, and passed on to every process of the run. */
export const DATABASES_DOOR = 'POSTERN_TEST_DATABASES'

/** Whether relays of tests are on PostgreSQL by default. */
export const isOnPostgres = (): boolean => process.env['POSTERN_TEST_STORE'] === 'postgres'

/** The address of an empty one, or of a copy of one without connections. */
export async function newDatabase(copyOf?: string): Promise<string> {
  return await ask('POST', copyOf)
}

/** Requests one that already has a relay's tables. */
export const PREPARED = 'prepared'

/** With the tables of a relay: copying them is faster than creating them. */
export async function preparedDatabase(): Promise<string> {
  return await ask('POST', PREPARED)
}

/** It is dropped in the background. */
export async function forgetDatabase(url: string): Promise<void> {
  await ask('DELETE', url)
}

async function ask(method: 'POST' | 'DELETE', body?: string): Promise<string> {
  const door = process.env[DATABASES_DOOR]
  if (door === undefined) throw new Error('Tests on PostgreSQL are run by vitest, which starts their server.')
  const answer = await fetch(door, { method, ...(body !== undefined && { body }) })
  const said = await answer.text()
  if (!answer.ok) throw new Error(said)
  return said
}

const databases = new Map<string, Promise<string>>()

/** The database of a relay's data directory, for every start on it; undefined if relays are on SQLite. */
export async function databaseOf(dataDirectory: string): Promise<string | undefined> {
  if (!isOnPostgres()) return undefined
  const made = databases.get(dataDirectory) ?? preparedDatabase()
  databases.set(dataDirectory, made)
  return await made
}

/** In the form of a relay's command line. */
export async function databaseOptions(dataDirectory: string): Promise<string[]> {
  const database = await databaseOf(dataDirectory)
  return database === undefined ? [] : ['--database', database]
}

/** Assigns another one to a data directory from now on. */
export function giveDatabase(dataDirectory: string, database: string): void {
  databases.set(dataDirectory, Promise.resolve(database))
}

export async function forgetDatabaseOf(dataDirectory: string): Promise<void> {
  const made = databases.get(dataDirectory)
  databases.delete(dataDirectory)
  if (made) await forgetDatabase(await made)
}
