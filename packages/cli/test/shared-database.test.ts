// A relay with its rows on PostgreSQL, as the other commands see it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRelay } from '@postern/relay'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, newDatabase } from '@postern/testkit/test-databases'
import { test as base, describe, expect } from 'vitest'
import { runBackup } from '../src/backup/run-backup.ts'
import { doctor } from './doctor.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Commands beside a relay on one are not tried.`)

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-shared-'))
    onCleanup(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
  // oxlint-disable-next-line no-empty-pattern -- as above
  .extend('database', async ({}, { onCleanup }) => {
    const database = await newDatabase()
    onCleanup(() => forgetDatabase(database))
    return database
  })

describe.skipIf(isMissing)('a relay on PostgreSQL', () => {
  test('[CLI-5.13] is backed up otherwise, which is said whether it runs or not', async ({ directory, database }) => {
    const argv = ['--data', directory, '--to', join(directory, 'x.tar'), '--plain']
    const refused = { code: 'bad-field', message: expect.stringContaining('pg_dump') }
    await expect(runBackup(argv, { POSTERN_RELAY_DATABASE: database })).rejects.toMatchObject(refused)
    const relay = await startRelay({ listen: { host: '127.0.0.1', port: 0 }, dataDirectory: directory, database })
    await expect(runBackup(argv, {})).rejects.toMatchObject(refused)
    await relay.stop()
    await expect(runBackup(argv, {})).rejects.toMatchObject({ message: expect.stringContaining('no relay') })
  })

  test('[CLI-6.16] the doctor looks at its database from here', async ({ directory, database }) => {
    const look = async (address: string) => {
      const { of } = await doctor(['relay', '--data', directory, '--listen', '127.0.0.1:0', '--database', address], {})
      return { database: of('database'), backup: of('backup') }
    }
    expect((await look(database)).database).toEqual([expect.stringMatching(/^warn there is no relay in .* yet/)])
    const relay = await startRelay({ listen: { host: '127.0.0.1', port: 0 }, dataDirectory: directory, database })
    const found = await look(database)
    await relay.stop()
    expect(found.database).toEqual([expect.stringMatching(/^ok .* answers: PostgreSQL \d+/)])
    expect(found.backup).toEqual([expect.stringMatching(/^ok .*PostgreSQL/)])
    const unreachable = await look('postgres://someone:secret@127.0.0.1:1/nowhere')
    expect(unreachable.database).toEqual([expect.stringMatching(/^FAIL .*127\.0\.0\.1:1\/nowhere cannot be used/)])
    expect(JSON.stringify(unreachable)).not.toContain('secret')
  })
})
