// Counts of the database's contents, computed by the server.
import type { StoreCounts } from '../../relay-store.ts'
import type { Queries } from '../connection/queries.ts'

type Row = Omit<StoreCounts, 'oldestEntryMs' | 'databaseUsedBytes'> & { oldestEntryMs: number | null }

const FIGURES = `
  SELECT (SELECT accounts FROM account_total) AS accounts,
    (SELECT count(*) FROM account WHERE banned_ms IS NOT NULL AND deleted_ms IS NULL) AS banned,
    (SELECT count(*) FROM chat_group) AS groups,
    stored.blobs, stored.bytes AS "blobBytes",
    (SELECT ts FROM entry WHERE id >= (SELECT floor FROM retention) ORDER BY id LIMIT 1) AS "oldestEntryMs",
    pg_database_size(current_database()) AS "databaseBytes"
  FROM (SELECT count(*) AS blobs, coalesce(sum(size), 0)::bigint AS bytes FROM blob WHERE done_ms IS NOT NULL) AS stored`

export async function readStoreFigures(database: Queries): Promise<StoreCounts> {
  const row = await database.one<Row>(FIGURES)
  if (!row) throw new Error('the database counted nothing')
  // Only the server's own tools know how much of its files is in use.
  return { ...row, oldestEntryMs: row.oldestEntryMs ?? undefined, databaseUsedBytes: row.databaseBytes }
}
