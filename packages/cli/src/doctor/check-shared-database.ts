// The database that relays share: that it is reached from here, and that a relay of this version would start on it.
import { lookAtPostgres, type RelayConfig } from '@postern/relay'
import { bytesText } from '../backup/progress.ts'
import { clauseOf, type Finding, fail, ok, warn } from './finding.ts'

/** Its server's own backups count: nothing of them is seen from here. */
export const sharedBackup = (): Finding[] => [
  ok('backup', 'the rows are in PostgreSQL: its own backups are not looked at here'),
]

export async function lookAtSharedDatabase({ database = '' }: Pick<RelayConfig, 'database'>): Promise<Finding[]> {
  try {
    const { place, server, bytes, tables } = await lookAtPostgres(database)
    if (tables === 'newer') {
      const text = `the tables in ${place} are of a newer version of Postern`
      return [fail('database', { text, todo: 'install the version that the other relays have' })]
    }
    if (tables === 'empty')
      return [warn('database', { text: `${place} holds no relay yet`, todo: 'the first start makes its tables' })]
    return [ok('database', `${place} is reached, PostgreSQL ${server}, ${bytesText(bytes)}`)]
  } catch (error) {
    const todo = 'see --database, the server, its pg_hba.conf and the network between'
    return [fail('database', { text: clauseOf(error), todo })]
  }
}
