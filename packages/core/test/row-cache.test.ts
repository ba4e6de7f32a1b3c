// Rows that are kept in memory: after any write, in any way, reads return what the database has.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { test as base, expect } from 'vitest'
import type { Database, SqlValue } from '../src/storage/database.ts'
import { openSqlite } from '../src/storage/sqlite/sqlite-node.ts'

/** A kept table, with a trigger that writes another one, and a counter of ids. */
const schema = `
  CREATE TABLE chat (id TEXT PRIMARY KEY, unread INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
  CREATE TABLE member (chat_id TEXT NOT NULL, account_id TEXT NOT NULL, PRIMARY KEY (chat_id, account_id)) STRICT;
  CREATE TABLE journal (id INTEGER PRIMARY KEY AUTOINCREMENT, json TEXT NOT NULL) STRICT;
  CREATE TABLE message (id TEXT PRIMARY KEY, chat_id TEXT NOT NULL) STRICT;
  CREATE TRIGGER came AFTER INSERT ON member BEGIN UPDATE chat SET version = version + 1 WHERE id = NEW.chat_id; END;
  CREATE TRIGGER went AFTER DELETE ON member BEGIN UPDATE chat SET version = version + 1 WHERE id = OLD.chat_id; END;
`

const questions: [sql: string, ...SqlValue[]][] = [
  ['SELECT * FROM chat WHERE id = ?', 'a'],
  ['SELECT * FROM chat WHERE id = ?', 'b'],
  ['SELECT sum(unread) AS sum FROM chat'],
  // Only some columns: writes to the others do not change the answers.
  ['SELECT id, version FROM chat WHERE id = ?', 'a'],
  ['SELECT version FROM chat WHERE unread > 1 ORDER BY version'],
  ['SELECT count(*) AS count FROM chat'],
  ['SELECT account_id FROM member WHERE chat_id = ? ORDER BY account_id', 'a'],
  ['SELECT 1 AS one FROM member WHERE chat_id = ? AND account_id = ?', 'a', 'b'],
  ['SELECT 1 AS one FROM member WHERE chat_id = ? AND account_id = ?', 'ab', ''],
  ['SELECT chat.id, count(*) AS count FROM chat JOIN member ON member.chat_id = chat.id GROUP BY chat.id'],
  ["SELECT seq FROM sqlite_sequence WHERE name = 'journal'"],
  ['SELECT chat.id FROM chat, message WHERE message.chat_id = chat.id ORDER BY chat.id'],
  ['SELECT id FROM chat WHERE id IN (SELECT chat_id FROM message) ORDER BY id'],
]

const id = fc.constantFrom('a', 'b', 'ab', '')
const writes: fc.Arbitrary<[way: 'run' | 'get' | 'exec', sql: string, ...SqlValue[]]> = fc.oneof(
  fc.tuple(fc.constant('run' as const), fc.constant('INSERT OR REPLACE INTO chat (id, unread) VALUES (?, 1)'), id),
  fc.tuple(fc.constant('run' as const), fc.constant('UPDATE chat SET unread = unread + 1 WHERE id = ?'), id),
  fc.tuple(fc.constant('run' as const), fc.constant('UPDATE chat SET version = 0 WHERE id = ?'), id),
  fc.tuple(fc.constant('run' as const), fc.constant('UPDATE chat SET unread = 0, version = 7 WHERE id = ?'), id),
  fc.tuple(fc.constant('run' as const), fc.constant('DELETE FROM journal WHERE json = ?'), id),
  fc.tuple(fc.constant('run' as const), fc.constant('UPDATE OR IGNORE chat SET id = id || ? WHERE id = ?'), id, id),
  fc.tuple(fc.constant('get' as const), fc.constant('DELETE FROM chat WHERE id = ? RETURNING *'), id),
  fc.tuple(fc.constant('run' as const), fc.constant('INSERT OR IGNORE INTO member VALUES (?, ?)'), id, id),
  fc.tuple(fc.constant('run' as const), fc.constant('DELETE FROM member WHERE chat_id = ?'), id),
  fc.tuple(fc.constant('run' as const), fc.constant('INSERT INTO journal (json) VALUES (?)'), id),
  fc.tuple(fc.constant('run' as const), fc.constant('INSERT OR IGNORE INTO message VALUES (?, ?)'), id, id),
  fc.tuple(
    fc.constant('run' as const),
    fc.constant('WITH some AS (SELECT ? AS id) DELETE FROM chat WHERE id IN (SELECT id FROM some)'),
    id,
  ),
  fc.constantFrom<['exec', string][]>(
    ['exec', 'BEGIN IMMEDIATE'],
    ['exec', 'COMMIT'],
    ['exec', 'ROLLBACK'],
    ['exec', "DELETE FROM chat WHERE id = 'a'"],
  ),
)

// oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
const test = base.extend('open', ({}, { onCleanup }) => {
  const directory = mkdtempSync(join(tmpdir(), 'kept-rows-'))
  const opened: Database[] = []
  onCleanup(() => {
    for (const database of opened) database.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return (): Database => {
    const database = openSqlite(join(directory, `${opened.length}.db`), new Uint8Array(32).fill(7))
    opened.push(database)
    database.exec(schema)
    return database
  }
})

/** A statement that was never used before: nothing is kept for it. */
const askAnew = (database: Database, [sql, ...values]: (typeof questions)[number], at: number) =>
  database.all(`${sql} -- ${at}`, ...values)

test('[CORE-11.17] what is read is what the database has, after any writes, triggers and rollbacks', ({ open }) => {
  const database = open()
  let asked = 0
  let isOpen = false
  const step = ([way, sql, ...values]: [way: 'run' | 'get' | 'exec', sql: string, ...SqlValue[]]) => {
    if (way !== 'exec') database[way](sql, ...values)
    else if (sql === 'BEGIN IMMEDIATE' ? !isOpen : isOpen || sql.startsWith('DELETE')) {
      database.exec(sql)
      if (!sql.startsWith('DELETE')) isOpen = sql === 'BEGIN IMMEDIATE'
    }
  }
  fc.assert(
    fc.property(fc.array(writes, { minLength: 1, maxLength: 20 }), steps => {
      for (const each of steps) {
        step(each)
        for (const question of questions) {
          const [sql, ...values] = question
          const truth = askAnew(database, question, ++asked)
          expect(database.all(sql, ...values)).toEqual(truth)
          expect(database.get(sql, ...values)).toEqual(truth[0])
        }
      }
    }),
    { numRuns: 60 },
  )
})

test('[CORE-11.17] what its writer says of a row is kept until the next write or a rollback', ({ open }) => {
  const database = open()
  const question = "SELECT seq FROM sqlite_sequence WHERE name = 'journal'"
  const insert = () => database.know?.(question, { seq: database.run("INSERT INTO journal (json) VALUES ('')").lastId })
  const newest = () => database.get<{ seq: number }>(question)?.seq
  insert()
  expect(newest()).toBe(1)
  database.exec('BEGIN IMMEDIATE')
  insert()
  expect(newest()).toBe(2)
  database.exec('ROLLBACK')
  expect(newest()).toBe(1)
  insert()
  database.run("UPDATE sqlite_sequence SET seq = 9 WHERE name = 'journal'")
  expect(newest()).toBe(9)
})

test('[CORE-11.17] what one reader is given no other can be given changed', ({ open }) => {
  const database = open()
  database.run('INSERT INTO chat (id, unread) VALUES (?, ?)', 'a', 1)
  const ask = () => database.get<{ unread: number }>('SELECT * FROM chat WHERE id = ?', 'a')
  expect(() => Object.assign(ask() ?? {}, { unread: 2 })).toThrow(TypeError)
  expect(ask()?.unread).toBe(1)
})
