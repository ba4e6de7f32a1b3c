// The tables and their number change together: an older program knows by the number alone what it must not open.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'

/**
 * The newest number, and the hash of its tables.
 * A change of the tables is a step with the next number, and a new line here.
 */
const NEWEST = { schema: 29, tables: '917703ba3be49bab' }

test('[CORE-11.23] the tables of a number never change', ({ world }) => {
  const database = openDataDirectory(join(world.directory, 'alone'))
  const schema = database.get<{ user_version: number }>('PRAGMA user_version')?.user_version
  const rows = database.all<{ sql: string }>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name')
  database.close()
  const plain = rows.map(({ sql }) => sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' '))
  expect({ schema, tables: hash('sha256', plain.join('\n')).slice(0, 16) }).toEqual(NEWEST)
})
