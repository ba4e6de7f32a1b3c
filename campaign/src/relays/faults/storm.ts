// A login storm: everybody's connection is cut at the same moment, and everybody comes back while commits are slow.
import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '@postern/testkit/postgres'
import type { Victims } from './victims.ts'

const COMMIT_DELAY_US = 20_000

export async function stormLogins({ cluster, crowd, backWithinMs, report }: Victims): Promise<void> {
  await setCommits(cluster.primary, ['SET commit_siblings = 0', `SET commit_delay = ${COMMIT_DELAY_US}`])
  const missing = [...(await crowd.arrive()), ...(await crowd.returnTogether())]
  await setCommits(cluster.primary, ['RESET commit_siblings', 'RESET commit_delay'])
  for (const account of missing)
    report({ wrong: 'unsettled', deed: 'login', what: `${account} is not in again after a login storm` })
  const late = pause(backWithinMs, 'late' as const, { ref: false })
  if (missing.length === 0 && (await Promise.race([crowd.hearAll(), late])) === 'late')
    report({ wrong: 'unsettled', deed: 'delivery', what: 'not everybody has everything after a login storm' })
  await crowd.leave()
}

/** For sessions that are open, too: each statement on its own, as the server requires. */
async function setCommits(server: PostgresServer, changes: readonly string[]): Promise<void> {
  for (const change of changes) await server.sql(`ALTER SYSTEM ${change}`)
  await server.sql('SELECT pg_reload_conf()')
}
