// A log that a connection has not read whole, because reads failed and nobody said so.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isCoded } from '@postern/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { withWholeLog } from '../src/storage/sqlite/recovered-log-node.ts'
import { openSqlite } from '../src/storage/sqlite/sqlite-node.ts'

const KEY = new Uint8Array(32).fill(7)

/** A database as a kill leaves it: what was committed is in its log alone. */
function killed(): string {
  const directory = mkdtempSync(join(tmpdir(), 'core-log-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'running.db')
  const database = openSqlite(path, KEY)
  database.exec('CREATE TABLE said (text TEXT NOT NULL) STRICT')
  for (const text of ['one', 'two', 'three']) database.run('INSERT INTO said VALUES (?)', text)
  for (const end of ['', '-wal']) cpSync(`${path}${end}`, join(directory, `core.db${end}`))
  database.close()
  return join(directory, 'core.db')
}

const saidIn = (path: string): string[] => {
  const database = openSqlite(path, KEY)
  try {
    return database.all<{ text: string }>('SELECT text FROM said').map(({ text }) => text)
  } finally {
    database.close()
  }
}

test('[CORE-11.20] a connection that lacks frames of the log is given up, and the log is as it was', () => {
  const path = killed()
  const log = readFileSync(`${path}-wal`)
  let frames = 0
  const lacking = () => ({
    frames: frames++,
    // As SQLite does when it takes a log for written back.
    close: () => rmSync(`${path}-wal`, { force: true }),
  })
  for (let tries = 0; tries < 3; tries++) {
    expect(() => withWholeLog(path, lacking)).toThrow(expect.toSatisfy(error => isCoded(error, 'storage-failed')))
    expect(readFileSync(`${path}-wal`)).toEqual(log)
  }
  expect(readdirSync(join(path, '..')).filter(name => name.endsWith('-kept'))).toEqual([])
  expect(saidIn(path)).toEqual(['one', 'two', 'three'])
})

test('[CORE-11.20] killed while it was given up, the next start finds the log', () => {
  const path = killed()
  expect(() =>
    withWholeLog(path, () => ({
      frames: 0,
      close: () => {
        rmSync(`${path}-wal`)
        throw new Error('killed')
      },
    })),
  ).toThrow('killed')
  expect(existsSync(`${path}-wal`)).toBe(false)
  expect(saidIn(path)).toEqual(['one', 'two', 'three'])
})
