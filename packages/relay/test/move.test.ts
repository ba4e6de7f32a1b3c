// A relay that is moved from its data directory to PostgreSQL, and back:
// the same rows, the same relay, and never two of it.
import { randomBytes } from 'node:crypto'
import { type AccountId, type Clock, type GroupId, isCoded, systemClock } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, newDatabase } from '@postern/testkit/test-databases'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { runMove } from '../src/commands/move.ts'
import { InviteFiles } from '../src/invites/invite-files.ts'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { moveToPostgres } from '../src/move/move-to-postgres.ts'
import { moveToSqlite } from '../src/move/move-to-sqlite.ts'
import { allMovedTables, tablesApart } from '../src/move/moved-tables.ts'
import type { MoveNote } from '../src/store/move-note.ts'
import { openPostgres } from '../src/store/postgres/connection/open-postgres.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import { PgPartitions } from '../src/store/postgres/retention/partitions.ts'
import { putPostgresMoveNote } from '../src/store/postgres/tools/move-note-rows.ts'
import type { RelayStore } from '../src/store/relay-store.ts'
import { openUnchanged } from '../src/store/sqlite/database.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { putMoveNote } from '../src/store/sqlite/tools/move-note-rows.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { codeOf, World } from './contract/world.ts'
import { type Lived, live, rowsOf } from './lived-relay.ts'
import { temporaryDirectory } from './relay-fixture.ts'
import { hurried } from './shared-stores.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Moves are not tried.`)

const around = () => ({ limits: relayLimits(), wake: new InProcessWake(), clock: systemClock })

let directory: string
let address: string
const said: string[] = []
const moving = (clock: Clock = systemClock) => ({
  directory,
  address,
  output: { write: (line: string) => said.push(line.trimEnd()) },
  clock,
})
const onSqlite = async (): Promise<RelayStore> => openSqliteStore({ ...around(), directory })
const onPostgres = (): Promise<RelayStore> => openPostgresStore(address, { ...around(), directory })

async function within<T>(open: () => Promise<RelayStore>, work: (world: World) => Promise<T>): Promise<T> {
  const world = new World(await open())
  try {
    return await work(world)
  } finally {
    await world.store.close()
  }
}

const lived = (): Promise<Lived> => within(onSqlite, world => live(world.store))

/** Starts a relay at each place and returns what it reports. */
async function starting(): Promise<{ sqlite: string; postgres: string }> {
  const start = (open: () => Promise<RelayStore>) =>
    within(open, async ({ store }) =>
      (await store.listAccounts(ALL)).length > 0 ? 'the relay' : 'an empty one',
    ).catch((error: unknown) => (isCoded(error) ? error.code : String(error)))
  return { sqlite: await start(onSqlite), postgres: await start(onPostgres) }
}
const ALL = { countMax: 1, nowMs: 0, which: 'all' } as const

function noteHere(note: MoveNote | undefined): void {
  const db = openUnchanged(directory)
  putMoveNote(db, note)
  db.close()
}

async function askPostgres<T>(work: (database: Awaited<ReturnType<typeof openPostgres>>) => Promise<T>): Promise<T> {
  const database = await openPostgres(address)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Compares bytes by value, whatever their class is. */
const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}

/** A clock that advances by this step on each reading. */
function steppingClock(stepMs: number): Clock {
  let nowMs = 0
  const next = () => (nowMs += stepMs)
  return { ...systemClock, nowMs: next, monotonicMs: next }
}

describe.skipIf(isMissing)('a relay that moves', () => {
  beforeEach(async () => {
    directory = temporaryDirectory()
    address = await newDatabase()
    said.length = 0
    onTestFinished(() => forgetDatabase(address))
  })

  test('[RELAY-9.1] has the same rows after it went there and back', async () => {
    await lived()
    const invite = { hash: Buffer.alloc(32, 7), usesMax: 4, expiresMs: 5_000 }
    await new InviteFiles(directory).put(invite)
    const before = rowsOf(directory)
    expect(Object.keys(before).filter(table => before[table]?.length === 0)).toEqual([])
    const there = await moveToPostgres(moving())
    expect(await moveToSqlite(moving())).toBe(there)
    expect(rowsOf(directory)).toEqual(before)
    expect(await new InviteFiles(directory).list()).toEqual([invite])
  })

  test('[RELAY-9.1] shows everybody the same under the same cursors, and goes on behind all that was', async () => {
    const { people, chats } = await lived()
    const seen = async ({ store, ...world }: World) => ({
      incarnation: store.incarnation,
      mailboxes: await Promise.all(people.map(person => new World(store).read(person))),
      heads: await Promise.all(people.map(person => store.mailboxHead(person))),
      accounts: await Promise.all(people.map(person => store.getAccount(person))),
      facts: await store.listAccounts({ countMax: 100, nowMs: world.nowMs, which: 'all' }),
      banned: await store.bannedAccounts(),
      groups: await Promise.all(chats.map(chat => codeOf(store.getGroup(chat, people[0] as AccountId)))),
    })
    const speak = async (world: World) => {
      const head = Math.max(...(await seen(world)).heads)
      const [alice, bob] = people as [AccountId, AccountId]
      await world.send(chats[0] as GroupId, { sender: alice, payload: randomBytes(40) })
      expect((await world.read(bob)).at(-1)?.cursor).toBeGreaterThan(head)
      await world.chat(...(await world.crowd(3)))
      return await seen(world)
    }
    const before = await within(onSqlite, seen)
    await moveToPostgres(moving())
    expect(plain(await within(onPostgres, seen))).toEqual(plain(before))
    const after = await within(onPostgres, speak)
    await moveToSqlite(moving())
    expect(plain(await within(onSqlite, seen))).toEqual(plain(after))
    await within(onSqlite, speak)
  })

  test('[RELAY-9.1] takes along what stands in no mailbox yet', async () => {
    const { people, chats } = await lived()
    const [alice, bob] = people as [AccountId, AccountId]
    await moveToPostgres(moving())
    const payload = randomBytes(40)
    await within(onPostgres, world => world.send(chats[0] as GroupId, { sender: alice, payload }))
    // The state after a relay died between its answer and the mailboxes.
    await askPostgres(database =>
      database.script(`INSERT INTO outbox (entry, chat_group, seq, kind, sender)
        SELECT id, chat_group, seq, kind, sender FROM entry ORDER BY id DESC LIMIT 1;
        DELETE FROM mailbox WHERE entry = (SELECT max(id) FROM entry)`),
    )
    const waiting = await within(onSqliteAfterBack, world => world.read(bob))
    expect(Buffer.from(waiting.at(-1)?.payload ?? [])).toEqual(payload)
  })

  test('[RELAY-9.1] comes from several partitions, goes back to where others are, and leaves behind what nobody sees', async () => {
    const { people, chats } = await lived()
    const [alice, bob] = people as [AccountId, AccountId]
    await moveToPostgres(moving())
    const begin = (number: number) => askPostgres(database => new PgPartitions(database, relayLimits()).begin(number))
    const say = (world: World) => world.send(chats[0] as GroupId, { sender: alice, payload: randomBytes(40) })
    for (const number of [1, 2]) {
      await within(onPostgres, say)
      await begin(number)
    }
    await within(onPostgres, say)
    // Expired, and still on the disk with the rest of its partition.
    await askPostgres(database =>
      database.script('UPDATE retention SET floor = (SELECT entry FROM mailbox ORDER BY pos OFFSET 3 LIMIT 1)'),
    )
    const before = await within(onPostgres, world => world.read(bob))
    expect(before.at(-1)?.cursor).toBe(2 ** 34)
    await moveToSqlite(moving())
    expect(plain(await within(onSqlite, world => world.read(bob)))).toEqual(plain(before))
    await askPostgres(database =>
      database.script('DROP TABLE entry_0, mailbox_0; SELECT begin_partition(5); SELECT begin_partition(7)'),
    )
    await moveToPostgres(moving())
    expect(plain(await within(onPostgres, world => world.read(bob)))).toEqual(plain(before))
    await within(onPostgres, say)
    expect((await within(onPostgres, world => world.read(bob))).at(-1)?.cursor).toBeGreaterThan(2 ** 34)
  })

  test('[RELAY-9.1] forgets no table', async () => {
    await within(onSqlite, async () => undefined)
    await within(onPostgres, async () => undefined)
    const here = Object.keys(rowsOf(directory)).filter(table => table !== 'sqlite_sequence')
    const there = await askPostgres(database =>
      database.rows<{ name: string }>(
        `SELECT relname AS name FROM pg_class
         WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
      ),
    )
    const moved = allMovedTables(table => (here.includes(table) ? ['blob'] : [])).map(({ name }) => name)
    const parts = here.includes('blob_part') ? [] : ['blob_part', 'blob_upload']
    expect(here.filter(name => ![...moved, ...tablesApart.sqlite].includes(name))).toEqual([])
    expect(
      there.map(({ name }) => name).filter(name => ![...moved, ...tablesApart.postgres, ...parts].includes(name)),
    ).toEqual([])
  })

  test('[RELAY-9.2] is not moved while a relay runs on either side', async () => {
    await lived()
    await within(onSqlite, async () => expect(await codeOf(moveToPostgres(moving(hurried)))).toBe('database-locked'))
    await within(onPostgres, async () => expect(await codeOf(moveToPostgres(moving(hurried)))).toBe('database-in-use'))
    await moveToPostgres(moving())
    await within(onPostgres, async () => expect(await codeOf(moveToSqlite(moving(hurried)))).toBe('database-in-use'))
    noteHere(undefined)
    await within(onSqlite, async () => expect(await codeOf(moveToSqlite(moving(hurried)))).toBe('database-locked'))
  })

  test('[RELAY-9.2] is not moved to where another one is, nor from where it was', async () => {
    await lived()
    await within(onPostgres, world => world.people())
    expect(await codeOf(moveToPostgres(moving()))).toBe('database-not-empty')
    expect(await codeOf(moveToSqlite(moving()))).toBe('database-not-empty')
    expect(await starting()).toEqual({ sqlite: 'the relay', postgres: 'the relay' })
    address = await newDatabase()
    await moveToPostgres(moving())
    expect(await codeOf(moveToPostgres(moving()))).toBe('database-moved')
  })

  test('[RELAY-9.2] is not moved by another version', async () => {
    await lived()
    const db = openUnchanged(directory)
    db.pragma('user_version = 3')
    db.close()
    expect(await codeOf(moveToPostgres(moving()))).toBe('database-older')
  })

  test('[RELAY-9.3] is at one place: what it left behind starts no relay', async () => {
    await lived()
    await moveToPostgres(moving())
    expect(await starting()).toEqual({ sqlite: 'database-moved', postgres: 'the relay' })
    await moveToSqlite(moving())
    expect(await starting()).toEqual({ sqlite: 'the relay', postgres: 'database-moved' })
    await moveToPostgres(moving())
    expect(await starting()).toEqual({ sqlite: 'database-moved', postgres: 'the relay' })
  })

  test('[RELAY-9.3] cut off at its end, it is nowhere until it is run again', async () => {
    await lived()
    const before = rowsOf(directory)
    // Between its last two steps: not there yet, and no longer here.
    noteHere({ state: 'leaving', place: 'there' })
    expect(await starting()).toEqual({ sqlite: 'database-moved', postgres: 'an empty one' })
    expect(await moveToPostgres(moving())).toBeGreaterThan(100)
    // It is there, and that is not noted here.
    noteHere({ state: 'leaving', place: 'there' })
    expect(await moveToPostgres(moving())).toBe(0)
    expect(await starting()).toEqual({ sqlite: 'database-moved', postgres: 'the relay' })
    await askPostgres(database => putPostgresMoveNote(database, { state: 'leaving', place: 'here' }))
    expect(await starting()).toEqual({ sqlite: 'database-moved', postgres: 'database-moved' })
    await moveToSqlite(moving())
    await askPostgres(database => putPostgresMoveNote(database, { state: 'leaving', place: 'here' }))
    expect(await moveToSqlite(moving())).toBe(0)
    expect(rowsOf(directory)).toEqual(before)
  })

  test('[RELAY-9.3] that fails on its way is where it was', async () => {
    await lived()
    const say = (): never => {
      throw new Error('nobody listens')
    }
    const fails = { ...moving(steppingClock(20_000)), output: { write: say } }
    await expect(moveToPostgres(fails)).rejects.toThrow('nobody listens')
    expect(await starting()).toEqual({ sqlite: 'the relay', postgres: 'an empty one' })
    await moveToPostgres(moving())
    await expect(moveToSqlite(fails)).rejects.toThrow('nobody listens')
    expect(await starting()).toEqual({ sqlite: 'database-moved', postgres: 'the relay' })
    await moveToSqlite(moving())
    expect(await starting()).toEqual({ sqlite: 'the relay', postgres: 'database-moved' })
  })

  test('[RELAY-9.4] says how far it is, and at the end where the relay is', async () => {
    await lived()
    await moveToPostgres(moving(steppingClock(3_000)))
    expect(said.length).toBeGreaterThan(1)
    for (const line of said) expect(line).toMatch(/^\d+ of \d+ rows; just now \w+$/)
    const done = await runMove(['--data', directory, '--from', address], {
      env: {},
      output: { write: () => undefined },
    })
    expect(done).toMatch(/^Moved \d+ rows to .*\. Start the relay there, without --database\.$/)
  })

  test.each([
    [['--to', 'postgres://x/y'], '--data'],
    [['--data', 'd'], '--to'],
    [['--data', 'd', '--to', 'postgres://x/y', '--from', 'postgres://x/y'], '--to'],
    [['--data', 'd', '--from', 'mysql://x'], '--from'],
    [['--data', 'd', '--what'], '--what'],
  ])('[RELAY-9.2] %j: a word that is wrong is named', async (argv, named) => {
    await expect(runMove(argv, { env: {}, output: { write: () => undefined } })).rejects.toMatchObject({
      code: 'bad-field',
      message: expect.stringContaining(named),
    })
  })
})

async function onSqliteAfterBack(): Promise<RelayStore> {
  await moveToSqlite(moving())
  return await onSqlite()
}
