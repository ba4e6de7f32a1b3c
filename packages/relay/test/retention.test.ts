// Every table of both stores, with how long its rows stay: an unlisted table fails, and so does a page that differs.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const page = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8')

/** The rows of the table in the page: each may name several tables of the stores. */
function shownTables(): string[] {
  const [, section = ''] = page.split('### How long the relay keeps what')
  const rows =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter(line => /^\| .*`/.test(line)) ?? []
  return rows.flatMap(row => [...(row.split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, table]) => table ?? ''))
}

const stores = join(import.meta.dirname, '../src/store')

/** All tables are created in files of the stores. */
const madeTables = (): string[] =>
  globSync('**/*.ts', { cwd: stores }).flatMap(file =>
    [...readFileSync(join(stores, file), 'utf8').matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(
      ([, table]) => table ?? '',
    ),
  )

test('[RELAY-1.52] the page lists every table of both stores, and none that there is not', () => {
  expect(new Set(madeTables()).size).toBeGreaterThan(20)
  expect([...new Set(shownTables())].toSorted()).toEqual([...new Set(madeTables())].toSorted())
})

test('[RELAY-1.52] no table is twice in the page', () => {
  expect(shownTables().length).toBe(new Set(shownTables()).size)
})
