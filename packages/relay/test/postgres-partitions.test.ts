// The log and mailboxes in partitions: begun in time, dropped as a whole, and each message once across all of them.
import { randomBytes } from 'node:crypto'
import { type AccountId, type GroupId, postgresLimits, relayFixedLimits } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { Client } from 'pg'
import { test as base, describe, expect, onTestFinished } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { openPostgres } from '../src/store/postgres/connection/open-postgres.ts'
import { PgMailboxFill } from '../src/store/postgres/mailboxes/mailbox-fill.ts'
import { PgPartitions } from '../src/store/postgres/retention/partitions.ts'
import { bytes, codeOf, DAY_MS, padded, texts, type World } from './contract/world.ts'
import { openShared } from './shared-stores.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Partitions are not tried.`)

/** A few entries are enough for a partition. */
const limits = { partitionEntriesMin: 5 }

type Sql = (text: string) => Promise<Record<string, unknown>[]>
type Chat = { alice: AccountId; bob: AccountId; group: GroupId }

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend<'database', string>('database', async ({}, { onCleanup }) => {
    const database = await preparedDatabase()
    onCleanup(() => forgetDatabase(database))
    return database
  })
  .extend<'sql', Sql>('sql', async ({ database }, { onCleanup }) => {
    const client = new Client(database)
    await client.connect()
    onCleanup(() => client.end())
    return async text => (await client.query(text)).rows
  })

async function chatIn(world: World): Promise<Chat> {
  const [alice, bob] = await world.people()
  return { alice, bob, group: await world.chat(alice, bob) }
}

async function say(world: World, { alice, group }: Chat, ...said: string[]): Promise<void> {
  for (const text of said) await world.send(group, { sender: alice, payload: bytes(text) })
}

const partitionsOf = async (sql: Sql): Promise<unknown[]> =>
  (await sql(`SELECT relname FROM pg_class WHERE relname ~ '^(entry|mailbox)_[0-9]+$' ORDER BY relname`)).map(
    ({ relname }) => relname,
  )
const both = (...numbers: number[]): string[] =>
  ['entry', 'mailbox'].flatMap(whole => numbers.map(number => `${whole}_${number}`))
const countIn = async (sql: Sql, table: string): Promise<number> =>
  Number((await sql(`SELECT count(*) FROM ${table}`))[0]?.['count'])

/** Five or more entries in four days: the first partition is then full. */
async function dueNext(world: World): Promise<Chat> {
  const chat = await chatIn(world)
  await say(world, chat, 'one', 'two', 'three')
  world.nowMs += 3 * DAY_MS
  await say(world, chat, 'four')
  world.nowMs += DAY_MS
  return chat
}

/** And later entries are in the next one. */
async function fourDays(world: World): Promise<Chat> {
  const chat = await dueNext(world)
  await world.sweep()
  await say(world, chat, 'five')
  return chat
}

const partitionsOn = async (database: string): Promise<PgPartitions> => {
  const opened = await openPostgres(database)
  onTestFinished(() => opened.close())
  return new PgPartitions(opened, relayLimits(limits))
}

describe.skipIf(isMissing)('partitions', () => {
  test('[RELAY-7.19] what is past its time is not shown, and goes with the rest of its partition', async ({
    database,
    sql,
  }) => {
    const world = await openShared(database, limits)
    const chat = await fourDays(world)
    expect(await partitionsOf(sql)).toEqual(both(0, 1, 2))
    world.nowMs += 27 * DAY_MS
    await world.sweep()
    expect(texts(await world.read(chat.bob))).toEqual(['four', 'five'].map(padded))
    // A commit, a welcome and four messages; only the commit is in both mailboxes.
    expect([await countIn(sql, 'entry_0'), await countIn(sql, 'mailbox_0')]).toEqual([6, 6])
    const before = await world.head(chat.bob)
    world.nowMs += 2.5 * DAY_MS
    await world.sweep()
    expect(await partitionsOf(sql)).toEqual(both(1, 2))
    expect(texts(await world.read(chat.bob))).toEqual([padded('five')])
    await say(world, chat, 'six')
    expect(texts(await world.read(chat.bob, before))).toEqual([padded('six')])
  })

  test('[RELAY-7.19] what is past its time fills no mailbox, as long as it lies there', async ({ database, sql }) => {
    const world = await openShared(database, limits)
    const { alice, bob } = await fourDays(world)
    const opened = await openPostgres(database)
    onTestFinished(() => opened.close())
    const [sender, num] = await Promise.all(
      [alice, bob].map(async id => Number((await sql(`SELECT num FROM account WHERE id = '${id}'`))[0]?.['num'])),
    )
    const full = { ...relayLimits(), mailboxEntriesPerSenderMax: 4 }
    const check = () =>
      codeOf(
        new PgMailboxFill(full).check(
          opened,
          { sender: sender ?? 0, to: { num: num ?? 0, id: bob } },
          { bytes: relayFixedLimits.mailboxLookAfterBytes, nowMs: world.nowMs },
        ),
      )
    expect(await check()).toBe('mailbox-full')
    world.nowMs += 27 * DAY_MS
    await world.sweep()
    expect(await check()).toBe('no error')
  })

  test('[RELAY-7.19] it goes so also when nothing has come since', async ({ database, sql }) => {
    const world = await openShared(database, limits)
    const chat = await chatIn(world)
    await say(world, chat, 'one', 'two', 'three', 'four')
    await (await partitionsOn(database)).begin(1)
    // As if the last two had arrived a day later.
    await sql(`UPDATE entry SET ts = ts + ${DAY_MS} WHERE seq > 3`)
    world.nowMs += 30.5 * DAY_MS
    await world.sweep()
    expect(texts(await world.read(chat.bob))).toEqual(['three', 'four'].map(padded))
    expect(await countIn(sql, 'entry_0')).toBe(6)
    world.nowMs += 2 * DAY_MS
    await world.sweep()
    expect(await partitionsOf(sql)).toEqual(both(1, 2))
  })

  test('[RELAY-7.19] what would lie there for longer goes row by row', async ({ database, sql }) => {
    const world = await openShared(database, limits)
    const chat = await chatIn(world)
    await say(world, chat, 'one', 'two', 'three')
    world.nowMs += 10 * DAY_MS
    await say(world, chat, 'four')
    await world.sweep()
    await say(world, chat, 'five')
    world.nowMs += 21 * DAY_MS
    await world.sweep()
    expect([await countIn(sql, 'entry_0'), await countIn(sql, 'mailbox_0')]).toEqual([1, 1])
    expect(texts(await world.read(chat.bob))).toEqual(['four', 'five'].map(padded))
  })

  test('[RELAY-7.19] their number is bounded, however long it goes on', async ({ database, sql }) => {
    const world = await openShared(database, limits)
    const chat = await chatIn(world)
    const counts: number[] = []
    for (let round = 0; round < 24; round++) {
      await Promise.all(Array.from({ length: 6 }, () => world.send(chat.group, { sender: chat.alice })))
      world.nowMs += 4 * DAY_MS
      await world.sweep()
      counts.push((await partitionsOf(sql)).length / 2)
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(12)
    expect(counts.at(-1)).toBe(counts.at(-9))
    // Six each, except the expired ones.
    expect(await world.read(chat.bob)).toHaveLength(6 * 7)
    const partitions = await partitionsOn(database)
    for (let number = 30; number < 30 + postgresLimits.partitionsMax; number++) await partitions.begin(number)
    const many = (await partitionsOf(sql)).length
    await Promise.all(Array.from({ length: 6 }, () => world.send(chat.group, { sender: chat.alice })))
    world.nowMs += 4 * DAY_MS
    await partitions.tend(world.nowMs)
    expect((await partitionsOf(sql)).length).toBeLessThanOrEqual(many)
  })

  test('[RELAY-7.19] what waits for its mailboxes stays, however old it is', async ({ database, sql }) => {
    const world = await openShared(database, limits)
    const chat = await fourDays(world)
    await world.store.close()
    await sql(`INSERT INTO outbox (entry, chat_group, seq, kind, sender)
      SELECT id, chat_group, seq, kind, sender FROM entry WHERE kind = 1 ORDER BY id LIMIT 1`)
    await sql('UPDATE retention SET floor = (SELECT max(id) FROM entry)')
    const partitions = await partitionsOn(database)
    await partitions.tend(world.nowMs)
    expect(await partitionsOf(sql)).toEqual(both(0, 1, 2))
    await sql('DELETE FROM outbox')
    await partitions.tend(world.nowMs)
    expect(await partitionsOf(sql)).toEqual(both(1, 2))
    expect(texts(await (await openShared(database)).read(chat.bob))).toEqual([padded('five')])
  })

  test('[RELAY-7.19] who sweeps may be stopped in the middle: nobody is held up, and the next one ends it', async ({
    database,
    sql,
  }) => {
    const world = await openShared(`${database}?statement_timeout=2000`, limits)
    const chat = await fourDays(world)
    world.nowMs += 31 * DAY_MS
    // Like a dump of all tables, for as long as it takes.
    await sql('BEGIN')
    await sql('SELECT count(*) FROM mailbox, entry')
    expect(await codeOf(world.sweep())).toBe('unavailable')
    await say(world, chat, 'six')
    expect(texts(await world.read(chat.bob)).at(-1)).toBe(padded('six'))
    expect(await codeOf(world.sweep())).toBe('unavailable')
    await sql('COMMIT')
    await world.sweep()
    expect(await partitionsOf(sql)).toEqual(both(1, 2))
    expect(texts(await world.read(chat.bob)).at(-1)).toBe(padded('six'))
  })

  test('[RELAY-7.19] one that was taken out and not dropped is dropped by the next', async ({ database, sql }) => {
    const world = await openShared(database, limits)
    await fourDays(world)
    world.nowMs += 31 * DAY_MS
    await sql('ALTER TABLE mailbox DETACH PARTITION mailbox_0')
    await world.sweep()
    expect(await partitionsOf(sql)).toEqual(both(1, 2))
  })

  test('[RELAY-7.19] where a disk has no room for another one, messages go on, and the next sweep makes it', async ({
    database,
    sql,
  }) => {
    const world = await openShared(database, limits)
    await sql(`
      CREATE FUNCTION no_room() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE EVENT TRIGGER no_room ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION no_room()`)
    const chat = await dueNext(world)
    expect(await codeOf(world.sweep())).toBe('storage-full')
    expect(await partitionsOf(sql)).toEqual(both(0, 1))
    await say(world, chat, 'goes on')
    expect(texts(await world.read(chat.bob)).at(-1)).toBe(padded('goes on'))
    await sql('DROP EVENT TRIGGER no_room')
    await world.sweep()
    expect(await partitionsOf(sql)).toEqual(both(0, 1, 2))
    await say(world, chat, 'in the next')
    expect(texts(await world.read(chat.bob)).slice(-2)).toEqual(['goes on', 'in the next'].map(padded))
  })

  test('[RELAY-7.19] two that begin and drop at once do what one does, while messages go on', async ({
    database,
    sql,
  }) => {
    const [here, there] = [await openShared(database, limits), await openShared(database, limits)]
    const chat = await chatIn(here)
    const [one, other] = [await partitionsOn(database), await partitionsOn(database)]
    const sent: Promise<unknown>[] = []
    for (let number = 1; number <= 5; number++) {
      for (const world of [here, there, here, there]) sent.push(world.send(chat.group, { sender: chat.alice }))
      await Promise.all([codeOf(one.begin(number)), codeOf(other.begin(number))])
      await one.begin(number)
    }
    await Promise.all(sent)
    // Into the last of them: a partition after which nothing was placed is still written.
    await here.send(chat.group, { sender: chat.alice })
    expect((await here.read(chat.bob)).map(({ seq }) => seq)).toEqual(Array.from({ length: 22 }, (_, at) => at + 1))
    expect(await partitionsOf(sql)).toEqual(both(0, 1, 2, 3, 4, 5, 6))
    here.nowMs += 31 * DAY_MS
    there.nowMs = here.nowMs
    await Promise.all([codeOf(here.sweep()), codeOf(there.sweep())])
    await here.sweep()
    expect(await partitionsOf(sql)).toEqual(both(5, 6))
    await here.send(chat.group, { sender: chat.alice })
    expect((await there.read(chat.bob)).map(({ seq }) => seq)).toEqual([23])
  })

  test('[RELAY-7.20] a message is found in any partition, whichever way it comes again', async ({ database, sql }) => {
    const [here, there] = [await openShared(database, limits), await openShared(database, limits)]
    const chat = await chatIn(here)
    const payloads = Array.from({ length: 5 }, () => randomBytes(40))
    const first: unknown[] = []
    for (const [at, payload] of payloads.entries()) {
      first.push((await here.send(chat.group, { sender: chat.alice, payload })).accepted)
      await (await partitionsOn(database)).begin(at + 1)
    }
    // This store knows the state of the group, and the other does not.
    await here.send(chat.group, { sender: chat.alice })
    for (const world of [here, there])
      for (const [at, payload] of payloads.entries()) {
        const { accepted } = await world.send(chat.group, { sender: chat.alice, payload })
        expect(accepted).toEqual({ ...(first[at] as object), duplicate: true })
      }
    const again = payloads.map(payload => here.send(chat.group, { sender: chat.alice, payload }))
    const fresh = await here.send(chat.group, { sender: chat.alice })
    expect((await Promise.all(again)).map(({ accepted }) => accepted?.duplicate)).toEqual(Array(5).fill(true))
    expect(fresh.accepted?.seq).toBe(8)
    expect(await countIn(sql, 'entry WHERE kind = 1')).toBe(7)
  })

  test('[RELAY-7.20] none begins while somebody writes to the one before, and messages do not wait for it', async ({
    database,
    sql,
  }) => {
    const world = await openShared(database, limits)
    const chat = await chatIn(world)
    const partitions = await partitionsOn(database)
    // Like a batch that has its ids, and may still write with them.
    await sql('BEGIN')
    await sql("SELECT nextval('entry_id_seq')")
    expect(await codeOf(partitions.begin(1))).toBe('unavailable')
    await say(world, chat, 'one')
    await sql('COMMIT')
    await partitions.begin(1)
    await say(world, chat, 'two')
    expect([await countIn(sql, 'entry_0'), await countIn(sql, 'entry_1')]).toEqual([3, 1])
  })
})
