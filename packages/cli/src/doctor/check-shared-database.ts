// The database that relays share: whether it is reachable, and whether a relay of this version would start on it.
import { inspectPostgres, type RelayConfig } from '@postern/relay'
import { bytesText } from '../backup/progress.ts'
import { clauseOf, type Diagnosis, fail, ok, warn } from './finding.ts'

/** The server's own backups count: they cannot be seen from here. */
export const sharedBackup = (): Diagnosis[] => [
  ok('backup', 'the data is in PostgreSQL, whose backups the doctor does not check'),
]

export async function checkSharedDatabase({ database = '' }: Pick<RelayConfig, 'database'>): Promise<Diagnosis[]> {
  try {
    const { place, server, bytes, tables } = await inspectPostgres(database)
    if (tables === 'newer') {
      const text = `a newer version of Postern wrote the tables in ${place}`
      return [fail('database', { text, todo: 'install the version of the other relays' })]
    }
    if (tables === 'empty')
      return [
        warn('database', { text: `there is no relay in ${place} yet`, todo: 'the first start creates its tables' }),
      ]
    return [ok('database', `${place} answers: PostgreSQL ${server}, ${bytesText(bytes)}`)]
  } catch (error) {
    const todo = 'check --database, the server, its pg_hba.conf and the network between'
    return [fail('database', { text: clauseOf(error), todo })]
  }
}
