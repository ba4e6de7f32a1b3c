// SQL outside of its table's owner must be found, however it is written.
import { describe, expect, test } from 'vitest'
import type { Law } from '../architecture/check-architecture.ts'
import { type Files, law, problemsOf } from './small-checkout.ts'

describe('table-owners', () => {
  const tables = (guests: Law['tables'][number]['guests'] = []): Partial<Law> => ({
    tables: [
      {
        source: 'packages/relay/src',
        migrations: ['packages/relay/src/migrations.ts'],
        owners: { 'groups.ts': ['member'], accounts: ['account', 'profile'] },
        guests,
      },
    ],
    folders: { ...law.folders, order: { ...law.folders.order, 'packages/relay/src': ['accounts', '*.ts'] } },
  })
  const relay: Files = {
    'packages/relay/src/migrations.ts':
      "export const migrations = [`CREATE TABLE account (num INTEGER);\n CREATE TABLE profile (num INTEGER)`, 'CREATE TABLE member (num INTEGER); UPDATE account SET num = 1']",
    'packages/relay/src/accounts/rows.ts': "const sql = 'SELECT * FROM account JOIN profile USING (num)'",
    'packages/relay/src/groups.ts': "const sql = 'INSERT INTO member VALUES (1)'",
  }
  const found = (text: string, guests?: Law['tables'][number]['guests']): string[] =>
    problemsOf({ ...relay, 'packages/relay/src/other.ts': `\nexport const a = 1, b = ${text}` }, tables(guests))

  test('SQL of the owner, of the migrations, and of tables that are none of ours is in order', () => {
    expect(found("'SELECT * FROM sqlite_master JOIN json_each(?)'")).toEqual([])
  })

  test.each([
    ["'INSERT INTO member VALUES (?)'", 'writes member'],
    ["'INSERT OR IGNORE INTO member VALUES (?)'", 'writes member'],
    ["'REPLACE INTO member VALUES (?)'", 'writes member'],
    ['`\n  UPDATE member\n  SET num = ${1}`', 'writes member'],
    ["'UPDATE OR IGNORE member SET num = 1'", 'writes member'],
    ['\'DELETE FROM "member"\'', 'writes member'],
    ["'delete from member'", 'writes member'],
    ['`DELETE FROM ${table}`', 'writes (name filled in)'],
    ["'SELECT * FROM member'", 'reads member'],
    ["'FROM other JOIN member USING (num)'", 'reads member'],
    ["'FROM other LEFT JOIN member USING (num)'", 'reads member'],
    ["'SELECT * FROM other AS o, member'", 'reads member'],
    ["'SELECT 1 WHERE EXISTS (SELECT 1 FROM member)'", 'reads member'],
  ])('%s', (text, does) => {
    expect(found(text)).toEqual([`table-owners: packages/relay/src/other.ts:2 ${does}`])
  })

  test.each(["'An update of what a member sets: delete from here'", "'taken from member'", '1 // DELETE FROM member'])(
    'no SQL: %s',
    text => {
      expect(found(text)).toEqual([])
    },
  )

  test('a statement can break it twice', () => {
    expect(found("'INSERT INTO member SELECT num FROM account ON CONFLICT DO UPDATE SET num = 1'")).toEqual([
      'table-owners: packages/relay/src/other.ts:2 writes member',
      'table-owners: packages/relay/src/other.ts:2 reads account',
    ])
  })

  test('a guest may do what it is there for, and is taken out when it no longer does', () => {
    const guest = { table: 'member', by: 'other.ts', reason: 'A join.' }
    const [reads, writes] = [{ ...guest, does: 'reads' } as const, { ...guest, does: 'writes' } as const]
    expect(found("'SELECT * FROM member'", [reads])).toEqual([])
    expect(found("'DELETE FROM member WHERE num IN (SELECT num FROM member)'", [writes])).toEqual([])
    expect(found("'SELECT * FROM member'", [writes])).toEqual([
      expect.stringContaining('packages/relay/src/other.ts no longer writes member'),
    ])
    expect(found("'DELETE FROM member'", [reads])).toEqual([
      'table-owners: packages/relay/src/other.ts:2 writes member',
      expect.stringContaining('packages/relay/src/other.ts no longer reads member'),
    ])
  })

  test('every table has an owner, and every owner its tables', () => {
    const migrations =
      "export const migrations = ['CREATE TABLE account (num INTEGER)', 'CREATE TABLE blob (num INTEGER)']"
    expect(problemsOf({ ...relay, 'packages/relay/src/migrations.ts': migrations }, tables())).toEqual([
      'table-owners: blob of packages/relay/src has no owner in scripts/architecture/tables.ts.',
      expect.stringMatching(/^table-owners: member has an owner .* makes no such table\.$/),
      expect.stringMatching(/^table-owners: profile has an owner .* makes no such table\.$/),
    ])
  })
})
