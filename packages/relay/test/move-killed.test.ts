// Repeated kill -9 of a move, there and back: the relay is at one place, with all its rows.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isCoded, systemClock } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, newDatabase } from '@postern/testkit/test-databases'
import { expect, onTestFinished, test } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import type { RelayStore } from '../src/store/relay-store.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { live, rowsOf } from './lived-relay.ts'
import { temporaryDirectory } from './relay-fixture.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Moves that are killed are not tried.`)

const MAIN = new URL('./run-relay.ts', import.meta.url).pathname
const KILLS = 4
/** A process needs several of these steps to start. Each run hits other moments. */
const KILL_STEP_MS = 150

/** Returns the exit code; undefined if it was killed first. */
async function move(args: readonly string[], killAfterMs?: number): Promise<number | undefined> {
  const child = spawn(process.execPath, [MAIN, 'move', ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit').then(([code]) => (code as number | null) ?? undefined)
  if (killAfterMs !== undefined) {
    await Promise.race([pause(killAfterMs), ended])
    child.kill('SIGKILL')
  }
  return await ended
}

async function accountsAt(open: () => RelayStore | Promise<RelayStore>): Promise<number | string> {
  try {
    const store = await open()
    try {
      return (await store.figures()).accounts
    } finally {
      await store.close()
    }
  } catch (error) {
    if (isCoded(error)) return error.code
    throw error
  }
}

test.skipIf(isMissing)('[RELAY-9.3] however often a move is killed, the relay is at one place, and whole', async () => {
  const directory = temporaryDirectory()
  const database = await newDatabase()
  onTestFinished(() => forgetDatabase(database))
  const around = { directory, limits: relayLimits(), wake: new InProcessWake(), clock: systemClock }
  const onSqlite = () => openSqliteStore(around)
  const onPostgres = () => openPostgresStore(database, around)
  const store = onSqlite()
  await live(store)
  const { accounts } = await store.figures()
  await store.close()
  const before = rowsOf(directory)
  const ways: [string, typeof onSqlite | typeof onPostgres][] = [
    ['--to', onSqlite],
    ['--from', onPostgres],
  ]
  for (const [way, from] of ways) {
    const args = ['--data', directory, way, database]
    let isDone = false
    for (let kill = 1; kill <= KILLS && !isDone; kill++) {
      isDone = (await move(args, (kill + 2) * KILL_STEP_MS)) === 0
      // The server may need a moment to notice the loss.
      await expect.poll(() => accountsAt(onPostgres)).not.toBe('database-moving')
      const places = [await accountsAt(onSqlite), await accountsAt(onPostgres)]
      expect(places.filter(found => found === accounts).length, `${way} ${places.join(' ')}`).toBeLessThanOrEqual(1)
      // Until the last steps begin, an operator can give up the move and start the relay where it was.
      if (!places.includes(accounts)) expect(await accountsAt(from)).toBe('database-moved')
    }
    if (!isDone && (await accountsAt(way === '--to' ? onPostgres : onSqlite)) !== accounts)
      expect(await move(args)).toBe(0)
  }
  expect(rowsOf(directory)).toEqual(before)
})
