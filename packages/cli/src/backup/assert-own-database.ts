// Checks that the data to back up is in the data directory: the rows of a relay on PostgreSQL are not, and no copy made
// here would have them.
import { join } from 'node:path'
import { CodedError, type Env } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import { relayFiles } from '@postern/relay'
import { hasDatabase } from './data-kinds.ts'

/** Throws `bad-field` with instructions for such a relay. */
export async function assertOwnDatabase(directory: string, env: Env): Promise<void> {
  const database = env['POSTERN_RELAY_DATABASE'] || env['POSTERN_RELAY_DATABASE_FILE']
  const isSetElsewhere = Boolean(database) && !hasDatabase(directory)
  if (!isSetElsewhere && (await storeOf(directory)) !== 'postgresql') return
  const blobs = join(directory, relayFiles.blobs)
  const rule = `this relay keeps its data in PostgreSQL. Back that up with PostgreSQL's own tools (pg_dump, or pg_basebackup and its log), and then back up the files in ${blobs} or in the place that --blobs names`
  throw new CodedError('bad-field', { field: '--data', rule })
}

/** Undefined if nothing runs there, or if it is not a relay. */
async function storeOf(directory: string): Promise<unknown> {
  try {
    const status = await askControl(directory, { request: { command: 'status', arguments: {} } })
    return 'store' in status ? status.store : undefined
  } catch {
    // The copy of the database finds a process that does not answer again.
    return undefined
  }
}
