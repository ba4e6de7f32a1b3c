// Data of an older relay is migrated completely.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { accountIdFromHash, silentLog } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { migrations } from '../src/store/sqlite/schema/migrations.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { temporaryDirectory } from './relay-fixture.ts'

/** The last step before bans existed. */
const BEFORE_BANS = 5

test('[RELAY-1.44, RELAY-1.57] accounts of a relay that knew no bans are in, and can be banned', async () => {
  const directory = temporaryDirectory()
  const alice = accountIdFromHash(randomBytes(32))
  const db = new Database(join(directory, 'relay.db'))
  for (const step of migrations.slice(0, BEFORE_BANS)) db.exec(step)
  db.pragma(`user_version = ${BEFORE_BANS}`)
  db.prepare('INSERT INTO account (id, account_key, created_ms) VALUES (?, ?, ?)').run(alice, randomBytes(32), 1000)
  db.prepare(
    "INSERT INTO blob (id, owner, size, token_hash, begun_ms, done_ms) VALUES ('one', 1, 77, x'00', 1000, 2000)",
  ).run()
  db.close()
  const limits = relayLimits()
  const logged: unknown[] = []
  const log = { ...silentLog, info: (...line: unknown[]) => void logged.push(line) }
  const store = openSqliteStore({ directory, limits, wake: new InProcessWake(), clock: new ManualClock(), log })
  const newest = migrations.length
  expect(logged.slice(0, newest - BEFORE_BANS)).toEqual(
    migrations
      .slice(BEFORE_BANS)
      .map((_, at) => [{ schema: BEFORE_BANS + at + 1, newest }, 'database migration step started']),
  )
  expect(logged[newest - BEFORE_BANS]).toEqual([{ from: BEFORE_BANS, to: newest }, 'database migrated'])
  expect(await store.bannedAccounts()).toEqual([])
  const facts = { account: alice, createdMs: 1000, seenDay: 0, blobBytes: 77, bannedMs: undefined }
  expect(await store.getAccountFacts(alice, 1000)).toMatchObject(facts)
  await store.setBanned(alice, 5000)
  expect(await store.bannedAccounts()).toEqual([alice])
  await store.close()
})
