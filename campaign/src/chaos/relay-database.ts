// The relay's database as its process left it.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Throws when it fails its integrity check. */
export function checkRelayDatabase(directory: string): void {
  const database = new DatabaseSync(join(directory, 'relay.db'))
  try {
    const check = database.prepare('PRAGMA integrity_check').all()
    if (check.length !== 1 || check[0]?.['integrity_check'] !== 'ok') throw new Error(JSON.stringify(check))
  } finally {
    database.close()
  }
}
