// Somebody holds an old snapshot of the database, as a dump does: no row that is over can be removed, and nobody may have
// to look at all of them.
import { randomBytes } from 'node:crypto'
import { type AccountId, fromBase32, type GroupId } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished, test } from 'vitest'
import { START_MS, type World } from './contract/world.ts'
import { DatabaseSession } from './database-session.ts'
import { openShared } from './shared-stores.ts'
import { idOf } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Appends beside an old snapshot are not tried.`)

async function sharedDatabase(): Promise<string> {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  return database
}

/** As a relay sets up its own. */
async function relaySession(database: string): Promise<DatabaseSession> {
  const session = await DatabaseSession.open(database)
  await session.rows('SET enable_seqscan = off')
  await session.rows('SET enable_bitmapscan = off')
  await session.rows('SET plan_cache_mode = force_generic_plan')
  return session
}

async function holdSnapshot(database: string): Promise<void> {
  const dump = await DatabaseSession.open(database)
  await dump.rows('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await dump.rows('SELECT 1 FROM account LIMIT 1')
}

/** The arguments of an append, by the current state of its group: a message that is in no mailbox yet. */
async function nextAppend(session: DatabaseSession, group: GroupId): Promise<{ args: string; payload: Buffer }> {
  const [row] = await session.rows<{ num: number; roster: string; seq: string; creator: number }>(
    'SELECT num, roster, seq, creator FROM group_state WHERE id = $1',
    [group],
  )
  if (!row) throw new RangeError('there is no such group')
  const payload = randomBytes(40)
  const message = Buffer.from(fromBase32(idOf(payload)) ?? [])
  const next = Number(row.seq) + 1
  const args = `'{}', '{}', '{${group}}', '{${row.roster}}', '{${row.seq}}', '{1}', 20000, 'grown test ', '{}', '{}',
    '{${row.num}}', '{${next}}', '{1}', '{${row.creator}}', '{${START_MS + next}}', '{null}',
    '\\x${message.toString('hex')}', '\\x${payload.toString('hex')}', '{1}', '{40}',
    '{${row.num}}', '{${next}}', '{${START_MS + next}}', '{}', '{}'`
  return { args, payload }
}

const NO_CHARGE = "'{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'"

/** Each leaves versions of rows behind, which nobody may remove. */
async function appendMany(session: DatabaseSession, group: GroupId, count: number): Promise<void> {
  await session.rows(`
    DO $$
    DECLARE g record;
    BEGIN
      FOR n IN 1 .. ${count} LOOP
        SELECT * INTO g FROM group_state WHERE id = '${group}';
        PERFORM * FROM append_entries('{}', '{}', '{${group}}', ARRAY[g.roster], ARRAY[g.seq], '{1}', 20000, '', '{}', '{}',
          ARRAY[g.num], ARRAY[g.seq + 1], '{1}', ARRAY[g.creator], ARRAY[g.last_ts + 1], '{null}',
          decode(lpad(to_hex(g.seq), 40, '0'), 'hex'), 'payload', '{1}', '{7}', ARRAY[g.num], ARRAY[g.seq + 1],
          ARRAY[g.last_ts + 1], '{}', '{}', ${NO_CHARGE});
      END LOOP;
    END $$`)
}

/** Appends, and puts all of them into mailboxes. A first thousand makes indexes as high as they stay. */
async function fill(session: DatabaseSession, group: GroupId, count: number): Promise<void> {
  await appendMany(session, group, count)
  for (let waiting = 1; waiting > 0; ) {
    const [turn] = await session.rows<{ waiting: string }>("SELECT waiting FROM fan_out_turn(4000, 'test')")
    waiting = Number(turn?.waiting)
  }
}

const charged = (bytes: number): string =>
  `'{1}', '{${Math.floor(START_MS / 86_400_000)}}', '{${bytes}}', '{100000000}'`

type Plan = { 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] }

/** Pages that the server looks at for a statement. */
async function pagesOf(session: DatabaseSession, statement: string): Promise<number> {
  const [row] = await session.rows<Plan>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`)
  const plan = row?.['QUERY PLAN'][0].Plan
  return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
}

/**
 * The least of a few: the first ones of a session also read catalogs. Callers poll, because transactions of other tests on
 * the same server hold the floor back for a moment.
 */
async function leastPages(session: DatabaseSession, statement: () => Promise<string>): Promise<number> {
  const pages: number[] = []
  for (let at = 0; at < 6; at++) pages.push(await pagesOf(session, await statement()))
  return Math.min(...pages)
}

/** Each question appends: without a pause they would fill the very pages that are counted. */
const RARELY = { interval: 1_000 }

async function sendMany(world: World, group: GroupId, { sender, count }: { sender: AccountId; count: number }) {
  for (let at = 0; at < count; at++) await world.send(group, { sender })
}

describe.skipIf(isMissing)('while somebody holds an old snapshot', () => {
  test('[RELAY-7.40] an append to a busy chat looks at no more pages than before', async () => {
    const database = await sharedDatabase()
    const [world, session] = [await openShared(database), await relaySession(database)]
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const append = async () => `SELECT * FROM append_entries(${(await nextAppend(session, group)).args}, ${NO_CHARGE})`
    await fill(session, group, 1000)
    await holdSnapshot(database)
    const before = await leastPages(session, append)
    await fill(session, group, 3000)
    // 14 more were seen once, beside many other tests on the server.
    await expect.poll(() => leastPages(session, append), RARELY).toBeLessThan(before + 20)
  })

  test('[RELAY-7.40] a turn that fills mailboxes looks at no row that was removed', async () => {
    const database = await sharedDatabase()
    const [world, session] = [await openShared(database), await relaySession(database)]
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const turn = async () => "SELECT * FROM fan_out_turn(4000, 'test')"
    await fill(session, group, 1000)
    await holdSnapshot(database)
    const before = await leastPages(session, turn)
    await fill(session, group, 3000)
    await expect.poll(() => leastPages(session, turn), RARELY).toBeLessThan(before + 10)
  })

  test('[RELAY-7.38] an entry that took its number first and is committed last is delivered, however many came meanwhile', async () => {
    const database = await sharedDatabase()
    const [world, late] = [await openShared(database), await relaySession(database)]
    const [alice, bob] = await world.people()
    const chat = await world.chat(alice, bob)
    const members = await world.crowd(70)
    const group = await world.chat(...members)
    await late.rows('BEGIN')
    const { args, payload } = await nextAppend(late, chat)
    await late.rows(`SELECT * FROM append_entries(${args}, ${NO_CHARGE})`)
    await sendMany(world, group, { sender: members[0], count: 200 })
    await late.rows('COMMIT')
    await world.head(bob)
    expect((await world.read(bob)).map(entry => idOf(entry.payload))).toContain(idOf(payload))
  })
})

describe.skipIf(isMissing)('a relay of the version before, on the same database', () => {
  test('[RELAY-7.40] continues the numbers of a chat, and the others continue after it', async () => {
    const database = await sharedDatabase()
    const [world, older] = [await openShared(database), await relaySession(database)]
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const sent: string[] = []
    for (let round = 0; round < 5; round++) {
      const own = randomBytes(40)
      await world.send(group, { sender: alice, payload: own })
      const { args, payload } = await nextAppend(older, group)
      await older.rows(`SELECT * FROM append_batch(${args}, ${charged(10)}, '{}', '{}', '{}')`)
      sent.push(idOf(own), idOf(payload))
    }
    await world.head(bob)
    const read = (await world.read(bob)).filter(({ kind }) => kind === 'message')
    expect(read.map(({ payload }) => idOf(payload))).toEqual(sent)
    expect(read.map(({ seq }) => seq)).toEqual(sent.map((_, at) => at + 2))
  })

  test('[RELAY-7.40] a function that it was still in when the tables were changed gives no number twice', async () => {
    const database = await sharedDatabase()
    const [world, older] = [await openShared(database), await relaySession(database)]
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const raise = older.rows('UPDATE chat_group SET seq = seq + 1 WHERE id = $1', [group])
    await expect(raise).rejects.toMatchObject({ code: '40001' })
    const { args } = await nextAppend(older, group)
    const [row] = await older.rows<{ num: number }>('SELECT num FROM chat_group WHERE id = $1', [group])
    await older.rows(`SELECT * FROM append_batch(${args}, '{}', '{}', '{}', '{}', '{}', '{}', '{}')`)
    const stale = older.rows(
      `SELECT write_batch('{${row?.num}}', '{2}', '{1}', '{1}', '{${START_MS}}', '{null}', '{null}', '{null}',
        decode(repeat('00', 20), 'hex'), '\\x00', '{1}', '{${row?.num}}', '{1}', '{2}', '{${START_MS}}', '{}', '{}', '{}', '{}', '{}', '{}')`,
    )
    await expect(stale).rejects.toMatchObject({ code: '40001' })
  })
})
