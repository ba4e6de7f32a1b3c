// Commits that take as long as with a standby at that distance: the server waits in each commit, with its locks held.
import type { PostgresServer } from '@postern/testkit/postgres'

/** For sessions that begin from now on. `commit_siblings` of 0: also when nobody else commits. */
export async function delayCommits(
  server: PostgresServer,
  { database, ms }: { database: string; ms: number },
): Promise<void> {
  const name = new URL(database).pathname.slice(1)
  await server.sql(`ALTER DATABASE ${name} SET commit_siblings = 0`)
  await server.sql(`ALTER DATABASE ${name} SET commit_delay = ${ms * 1000}`)
}
