// A database on a disk whose faults pass: a connection that has seen one is replaced.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseLimits } from '../src/limits.ts'
import { type SqliteConnection, SteadySqlite } from '../src/steady-sqlite-node.ts'

const corrupt = () => {
  throw Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' })
}

/** Reads that fail look like damage, and a connection keeps what it has misread. */
class UnsteadyDisk {
  fails = false

  connect(): SqliteConnection {
    let hasMisread = false
    const get = () => {
      hasMisread ||= this.fails
      return hasMisread ? corrupt() : 'row'
    }
    const statement = { get, run: get, all: () => [get()], reader: true, columns: () => [] }
    return {
      prepare: () => ({ ...statement, iterate: () => [get()].values(), pluck: () => corrupt() }) as never,
      exec: () => undefined,
      pragma: () => (this.fails ? 'row 1 is missing' : 'ok'),
      inTransaction: false,
      open: true,
      close: () => undefined,
    }
  }
}

test('[CORE-11.28] a database that was called damaged works again with the disk, without a restart', () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-steady-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'some.db')
  writeFileSync(path, 'bytes')
  const disk = new UnsteadyDisk()
  let nowMs = 0
  const open = () => disk.connect()
  const database = new SteadySqlite(open(), { path, open, monotonicMs: () => nowMs })
  const statement = database.prepare('SELECT')
  const read = () => {
    nowMs += databaseLimits.reopenEveryMs
    return statement.get()
  }
  disk.fails = true
  for (let suspicion = 0; suspicion < 2; suspicion++) expect(read).toThrow('malformed')
  expect(read).toThrow(expect.objectContaining({ code: 'database-damaged' }))
  disk.fails = false
  expect(read()).toBe('row')
})
