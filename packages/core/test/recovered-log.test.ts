// A log that a connection has not read completely, because reads failed silently.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isCoded } from '@postern/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { withWholeLog } from '../src/storage/sqlite/recovered-log-node.ts'
import { openSqlite } from '../src/storage/sqlite/sqlite-node.ts'

const KEY = new Uint8Array(32).fill(7)

/** A database as a kill leaves it: its commits are in its log alone. */
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

const keptIn = (path: string): string[] => readdirSync(join(path, '..')).filter(name => name.includes('-kept'))

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
  // As SQLite does when it considers a log written back.
  const connect = () => ({ close: () => rmSync(`${path}-wal`, { force: true }) })
  for (let frames = 0; frames < 3; frames++) {
    const opening = { connect, lock: () => frames }
    expect(() => withWholeLog(path, opening)).toThrow(expect.toSatisfy(error => isCoded(error, 'storage-failed')))
    expect(readFileSync(`${path}-wal`)).toEqual(log)
  }
  expect(keptIn(path)).toEqual([])
  expect(saidIn(path)).toEqual(['one', 'two', 'three'])
})

test('[CORE-11.20] a connection with another key leaves the log alone, and nothing beside it', () => {
  const path = killed()
  const log = readFileSync(`${path}-wal`)
  expect(() => openSqlite(path, new Uint8Array(32).fill(8))).toThrow()
  expect(readFileSync(`${path}-wal`)).toEqual(log)
  expect(keptIn(path)).toEqual([])
  expect(saidIn(path)).toEqual(['one', 'two', 'three'])
})

test('[CORE-11.20] a connection that fails before it is counted loses nothing of the log', () => {
  const path = killed()
  const log = readFileSync(`${path}-wal`)
  const connect = () => ({ close: () => rmSync(`${path}-wal`, { force: true }) })
  const lock = () => {
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' })
  }
  expect(() => withWholeLog(path, { connect, lock })).toThrow('disk I/O error')
  expect(readFileSync(`${path}-wal`)).toEqual(log)
})

test('[CORE-11.20] a disk that fails again while the log is put back loses nothing of it', () => {
  const path = killed()
  const close = () => {
    rmSync(`${path}-wal`)
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_CLOSE' })
  }
  expect(() => withWholeLog(path, { connect: () => ({ close }), lock: () => 0 })).toThrow('disk I/O error')
  expect(saidIn(path)).toEqual(['one', 'two', 'three'])
  expect(keptIn(path)).toEqual([])
})

test('[CORE-11.20] killed while it was given up, the next start finds the log', () => {
  const path = killed()
  // As a process that is gone has left it. The highest pid is below this number.
  renameSync(`${path}-wal`, `${path}-wal-kept-4194305-abcd`)
  expect(saidIn(path)).toEqual(['one', 'two', 'three'])
  expect(keptIn(path)).toEqual([])
})

test('[CORE-11.20] of two starts at the same moment, the one that is refused touches nothing', () => {
  const path = killed()
  const log = readFileSync(`${path}-wal`)
  const busy = () => {
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  }
  const beside = () =>
    expect(() => withWholeLog(path, { connect: () => ({ close() {} }), lock: busy })).toThrow(/locked/)
  // Beside a process that opens, and beside one that gives up: before and after its connection is closed.
  const close = () => {
    beside()
    rmSync(`${path}-wal`)
    beside()
  }
  const lock = () => {
    beside()
    return 0
  }
  expect(() => withWholeLog(path, { connect: () => ({ close }), lock })).toThrow(
    expect.toSatisfy(error => isCoded(error, 'storage-failed')),
  )
  expect(readFileSync(`${path}-wal`)).toEqual(log)
  expect(saidIn(path)).toEqual(['one', 'two', 'three'])
  expect(keptIn(path)).toEqual([])
})

test('[CORE-11.20] a start that is refused does not bring back the log of one that has ended well', () => {
  const path = killed()
  const lock = () => {
    rmSync(`${path}-wal`)
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  }
  expect(() => withWholeLog(path, { connect: () => ({ close() {} }), lock })).toThrow(/locked/)
  expect(existsSync(`${path}-wal`)).toBe(false)
  expect(keptIn(path)).toEqual([])
})
