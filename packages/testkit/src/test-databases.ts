// Databases for tests on PostgreSQL: one for each that asks, from the server of the run, which the first of them starts.

/** Where the run's databases are asked for; set by `postgres-run.ts`, and handed on to every process of the run. */
export const DATABASES_DOOR = 'POSTERN_TEST_DATABASES'

/** Whether relays of tests that do not say otherwise are on PostgreSQL. */
export const isOnPostgres = (): boolean => process.env['POSTERN_TEST_STORE'] === 'postgres'

/** The address of an empty one, or of a copy of one that nobody is connected to. */
export async function newDatabase(copyOf?: string): Promise<string> {
  return await ask('POST', copyOf)
}

/** By which one is asked for that has a relay's tables already. */
export const PREPARED = 'prepared'

/** With the tables of a relay in it: to make them anew takes longer than to copy them. */
export async function preparedDatabase(): Promise<string> {
  return await ask('POST', PREPARED)
}

/** It is dropped when nobody waits for it. */
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

/** The one that belongs to a relay's data directory, for every start on it; undefined where relays are on SQLite. */
export async function databaseOf(dataDirectory: string): Promise<string | undefined> {
  if (!isOnPostgres()) return undefined
  const made = databases.get(dataDirectory) ?? preparedDatabase()
  databases.set(dataDirectory, made)
  return await made
}

/** As the command line of a relay says it. */
export async function databaseOptions(dataDirectory: string): Promise<string[]> {
  const database = await databaseOf(dataDirectory)
  return database === undefined ? [] : ['--database', database]
}

/** From now on a data directory has another one. */
export function giveDatabase(dataDirectory: string, database: string): void {
  databases.set(dataDirectory, Promise.resolve(database))
}

export async function forgetDatabaseOf(dataDirectory: string): Promise<void> {
  const made = databases.get(dataDirectory)
  databases.delete(dataDirectory)
  if (made) await forgetDatabase(await made)
}
