// A relay process whose database is replaced under it: it ends, so that its supervisor starts it on the current data.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { isCoded, systemClock } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, newDatabase } from '@postern/testkit/test-databases'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { markRestored } from '../src/commands/mark-restored.ts'
import { moveToSqlite } from '../src/move/move-to-sqlite.ts'
import { codeOf } from './contract/world.ts'
import { temporaryDirectory } from './relay-fixture.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Databases that are replaced under a relay are not tried.`)

const MAIN = new URL('./run-relay.ts', import.meta.url).pathname

type Running = { child: ChildProcess; said: () => string; ended: Promise<number | null> }

async function startProcess(database: string): Promise<Running> {
  const words = ['--listen', '127.0.0.1:0', '--data', temporaryDirectory(), '--database', database]
  const child = spawn(process.execPath, [MAIN, ...words])
  const ended = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (text += chunk))
  await expect.poll(() => text).toContain('"msg":"listening"')
  return { child, said: () => text, ended }
}

const CUT_OFF = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'postern-relay'`

/** Runs `work` while the relay is off the network: the server has lost its connections, and the relay does not know. */
async function whileCutOff(database: string, { child }: Running, work: () => Promise<unknown>): Promise<void> {
  const client = new Client(database)
  await client.connect()
  onTestFinished(() => client.end())
  child.kill('SIGSTOP')
  // A connection that the relay requested before it stalled may appear only a moment later.
  for (let isDone = false; !isDone; ) {
    await client.query(CUT_OFF)
    isDone = await work().then(
      () => true,
      (error: unknown) => {
        if (isCoded(error, 'database-in-use')) return false
        throw error
      },
    )
  }
  child.kill('SIGCONT')
}

async function emptyDatabase(): Promise<string> {
  const database = await newDatabase()
  onTestFinished(() => forgetDatabase(database))
  return database
}

describe.skipIf(isMissing)('[RELAY-7.31] a relay that finds another database than its own', () => {
  test('ends with a line and with 1 when it was restored, and starts on it again', async () => {
    const database = await emptyDatabase()
    const relay = await startProcess(database)
    expect(await codeOf(markRestored(['--database', database], {}))).toBe('database-in-use')
    await whileCutOff(database, relay, () => markRestored(['--database', database], {}))
    expect(await relay.ended).toBe(1)
    const lines = relay
      .said()
      .split('\n')
      .filter(line => line.includes('database-replaced'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('was restored while this relay ran. Restart the relay.')
    await startProcess(database)
  })

  test('ends so when it was moved away, and does not start again', async () => {
    const database = await emptyDatabase()
    const relay = await startProcess(database)
    const directory = temporaryDirectory()
    await whileCutOff(database, relay, () =>
      moveToSqlite({ directory, address: database, output: { write: () => undefined }, clock: systemClock }),
    )
    expect(await relay.ended).toBe(1)
    expect(relay.said()).toContain('"code":"database-moved"')
  })
})
