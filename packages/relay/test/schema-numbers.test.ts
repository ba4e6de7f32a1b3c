// Tables and their number change together, on SQLite and on PostgreSQL:
// the number tells an older relay what it must not open.
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { postgresMigrations } from '../src/store/postgres/schema/migrations.ts'
import { migrations } from '../src/store/sqlite/schema/migrations.ts'

/** One line for each step: a step is never changed, only followed by another with a line of its own. */
const ON_SQLITE = [
  '9631847fe9af3a45',
  '497952babf4c8901',
  '1ce7245695a3a403',
  '0c1bb309189a20a6',
  '624bdf968e8fc3a9',
  '835c1595146f3c7c',
  '0253792b37d0dd03',
  'b00f5cada1008200',
  'bc3f659f6d741d90',
  '09568afb45bb90c8',
  '16af20c8b279cf8e',
]
const ON_POSTGRES = [
  '5ffa61ad37207533',
  'ab93485b12ad1f15',
  '92a552c43d1242bf',
  '3abf467efb8bdf3b',
  'ee79044fa1bfec1a',
  'a5c3f11887d43585',
  'cca5cd41e03b07c4',
  'a9c70f51de77ff4c',
  'e06bf806aec9e641',
  'c9b5ce15cb08b4e4',
  '03b071074ee535d4',
]

const printOf = (sql: string): string =>
  hash('sha256', sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim()).slice(0, 16)

test('[RELAY-1.48] the tables of a number never change on SQLite', () => {
  expect(migrations.map(printOf)).toEqual(ON_SQLITE)
})

test('[RELAY-1.48] nor on PostgreSQL', () => {
  const steps = postgresMigrations.map(({ sql, before = [], usableFrom }) =>
    printOf([...before, sql, String(usableFrom)].join('\n')),
  )
  expect(steps).toEqual(ON_POSTGRES)
})
