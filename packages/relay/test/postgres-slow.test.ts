// A database that is too slow for its work: the work gets smaller, and readers do not wait for others' entries.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type AccountId, type GroupId, isCoded, postgresLimits } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { Client } from 'pg'
import { test as base, describe, expect, onTestFinished } from 'vitest'
import { WorkSize } from '../src/store/postgres/connection/work-size.ts'
import type { Batch } from '../src/store/postgres/log/batch.ts'
import { admit } from '../src/store/postgres/log/judge-sender.ts'
import type { Append, EnvelopeDelivery } from '../src/store/relay-store.ts'
import { DAY_MS, type World } from './contract/world.ts'
import { arrive, chatOf, testRelay } from './relay-fixture.ts'
import { openShared } from './shared-stores.ts'
import { idOf, messageEnvelope, newGroupId } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} A slow database is not tried.`)

/** More than a batch places in its own transaction. */
const LARGE = postgresLimits.placeAtOnceMax + 6

// oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
const test = base.extend<'database', string>('database', async ({}, { onCleanup }) => {
  const database = await preparedDatabase()
  onCleanup(() => forgetDatabase(database))
  return database
})

async function connectTo(database: string): Promise<Client> {
  const client = new Client(database)
  // The database may be dropped before the connection has ended.
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

type Slowed = { table: string; event: 'INSERT' | 'DELETE'; rowsMax: number }

/** A statement that changes more rows of the table takes too long. Call the returned function to end this. */
async function slowDown(client: Client, { table, event, rowsMax }: Slowed): Promise<() => Promise<void>> {
  const rows = event === 'INSERT' ? 'NEW' : 'OLD'
  await client.query(`
    CREATE FUNCTION take_too_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) FROM changed) > ${rowsMax} THEN
        RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = 'query_canceled';
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER too_slow AFTER ${event} ON ${table} REFERENCING ${rows} TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION take_too_long()`)
  return async () => void (await client.query(`DROP TRIGGER too_slow ON ${table}; DROP FUNCTION take_too_long`))
}

/** Nobody fills mailboxes until the returned function is called. */
async function holdFanOut(client: Client): Promise<() => Promise<void>> {
  await client.query('BEGIN')
  await client.query('SELECT pg_advisory_xact_lock(3, 1)')
  return async () => void (await client.query('COMMIT'))
}

type Sent = { group: GroupId; sender: AccountId; delivery?: EnvelopeDelivery }

const send = (world: World, { group, sender, delivery = { kind: 'message' } }: Sent, payload = randomBytes(40)) =>
  world.store.append({
    ...{ group, sender, payload, message: idOf(payload), epoch: 1, nowMs: world.nowMs },
    delivery,
  })

/** Retries as a client does, until the test is over. */
async function untilAvailable<T>(ask: () => Promise<T>): Promise<T> {
  const over = { isOver: false }
  onTestFinished(() => void (over.isOver = true))
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isCoded(error, 'unavailable') || over.isOver) throw error
      await pause(5)
    }
  }
}

/** A batch for one group with this many members, while this many references wait. */
const batchOf = (members: number, backlog: number): Batch =>
  ({
    groups: new Map([[message.group, { members: new Map(upTo(1, members).map(num => [num, ''])) }]]),
    accounts: new Map([[message.sender, { num: 1 }]]),
    ...{ known: new Map(), devices: new Map(), waiting: 0, backlog },
  }) as unknown as Batch

const message = { group: newGroupId(), sender: '' as AccountId } as Append

function codeThrown(call: () => unknown): string {
  try {
    call()
    return ''
  } catch (error) {
    return isCoded(error) ? error.code : String(error)
  }
}

const seqsOf = async (world: World, account: AccountId): Promise<number[]> =>
  (await world.read(account)).filter(({ kind }) => kind !== 'welcome').map(({ seq }) => seq)

const upTo = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at)

describe.skipIf(isMissing)('work that takes too long', () => {
  test('[RELAY-7.35] mailboxes are filled in smaller turns while the database is slow, and in large ones again', async ({
    database,
  }) => {
    const [here, there] = [await openShared(database), await openShared(database)]
    const members = await here.crowd(LARGE)
    const [alice, ...others] = members
    const group = newGroupId()
    await here.store.createGroup(group, { creator: alice, nowMs: here.nowMs })
    const client = await connectTo(database)
    const recover = await slowDown(client, { table: 'mailbox', event: 'INSERT', rowsMax: 10 })
    // Members are read up to the commit that adds them, which is placed in parts like its welcome.
    const commit = { group, epoch: 0, sender: alice, payload: randomBytes(40), nowMs: here.nowMs }
    const joining = { add: others, remove: [], welcome: Buffer.from('welcome') }
    await here.store.commit({ ...commit, ...joining, message: idOf(commit.payload) })
    for (let at = 0; at < 6; at++) await send(at % 2 ? here : there, { group, sender: alice })
    await untilAvailable(() => here.store.flush())
    await recover()
    for (let at = 0; at < 6; at++) await send(at % 2 ? here : there, { group, sender: alice })
    await untilAvailable(() => there.store.flush())
    for (const member of members.slice(1)) expect(await seqsOf(there, member)).toEqual(upTo(2, 13))
  })

  test('[RELAY-7.35] an entry that is placed in parts has one position, and nothing is placed before all of it is', async ({
    database,
  }) => {
    const here = await openShared(database)
    const members = await here.crowd(LARGE)
    const [group, chat] = [await here.chat(...members), await here.chat(members[0], members[LARGE - 1] as AccountId)]
    const client = await connectTo(database)
    const letGo = await holdFanOut(client)
    await send(here, { group, sender: members[0] })
    const placed = async (): Promise<unknown[]> => {
      const asked = 'SELECT e.seq, g.id, count(*)::integer, count(DISTINCT pos)::integer AS positions'
      const { rows } = await client.query({
        text: `${asked} FROM mailbox m JOIN entry e ON e.id = m.entry JOIN chat_group g ON g.num = e.chat_group
          WHERE e.seq > 1 GROUP BY e.seq, g.id ORDER BY min(pos)`,
        rowMode: 'array',
      })
      return rows
    }
    await client.query("SELECT fan_out_turn(40, 'test')")
    expect(await placed()).toEqual([['2', group, 40, 1]])
    await send(here, { group: chat, sender: members[0] })
    await client.query("SELECT fan_out_turn(20, 'test')")
    expect(await placed()).toEqual([['2', group, 60, 1]])
    await client.query("SELECT fan_out_turn(20, 'test')")
    expect(await placed()).toEqual([['2', group, LARGE - 1, 1]])
    await client.query("SELECT fan_out_turn(20, 'test')")
    expect(await placed()).toEqual([
      ['2', group, LARGE - 1, 1],
      ['2', chat, 1, 1],
    ])
    await letGo()
    for (const member of members.slice(1)) expect(await seqsOf(here, member)).toContain(2)
  })

  test('[RELAY-7.35] senders who come again together are accepted in smaller batches', async ({ database }) => {
    const here = await openShared(database)
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    await slowDown(await connectTo(database), { table: 'entry', event: 'INSERT', rowsMax: 3 })
    let left = Array.from({ length: 20 }, () => randomBytes(40))
    // Together each time: unchanged, their batch would fail forever.
    for (let rounds = 0; left.length > 0 && rounds < 100; rounds++) {
      const sent = left.map(payload => send(here, { group, sender: alice }, payload))
      const settled = await Promise.allSettled(sent)
      left = left.filter((_, at) => settled[at]?.status === 'rejected')
    }
    expect(left).toEqual([])
    await here.store.flush()
    expect(await seqsOf(here, bob)).toEqual(upTo(2, 21))
  })

  test('[RELAY-7.35] acknowledgements are written for fewer accounts, and a sender writes none but its own', async ({
    database,
  }) => {
    const here = await openShared(database, { acknowledgeRetryMs: 5 })
    const members = await here.crowd(30)
    const [alice] = members
    const group = await here.chat(...members)
    const client = await connectTo(database)
    await slowDown(client, { table: 'progress', event: 'INSERT', rowsMax: 4 })
    const head = await here.head(members[1])
    const written = Promise.all(members.map(member => here.store.acknowledge(member, { cursor: head, mark: 1 })))
    expect((await send(here, { group, sender: alice })).accepted).toBeDefined()
    await written
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM progress WHERE mark = 1')
    expect(rows[0]?.count).toBe('30')
  })

  test('[RELAY-7.35] a sweep removes fewer rows in a turn', async ({ database }) => {
    const here = await openShared(database)
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    for (let at = 0; at < 30; at++) await send(here, { group, sender: alice })
    const client = await connectTo(database)
    await slowDown(client, { table: 'entry', event: 'DELETE', rowsMax: 6 })
    here.nowMs += 40 * DAY_MS
    await untilAvailable(() => here.sweep())
    expect(await here.read(bob)).toEqual([])
    expect((await client.query('SELECT id FROM entry')).rows).toEqual([])
  })

  test('[RELAY-7.35] a size is halved at a timeout and when work is slow, and grows while work is quick', () => {
    const work = new WorkSize(10)
    const timeout = Object.assign(new Error('canceling statement'), { code: '57014' })
    const sizes = [timeout, new Error('Query read timeout'), new Error('another'), timeout, timeout].map(error => {
      work.failed(error)
      return work.size
    })
    expect(sizes).toEqual([5, 2, 2, 1, 1])
    const { slowWorkMs, quickWorkMs } = postgresLimits
    const grown = [quickWorkMs, 0, 0, 0, 0, 0, slowWorkMs + 1].map(tookMs => {
      work.succeeded(tookMs)
      return work.size
    })
    expect(grown).toEqual([1, 2, 4, 8, 10, 10, 5])
  })
})

describe.skipIf(isMissing)('while mailboxes are not filled', () => {
  test('[RELAY-7.36] whoever connects follows its mailbox at once', async ({ database }) => {
    const relay = await testRelay({ database })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await bob.call('follow', { after: 0 })
    await bob.delivered(1)
    const client = await connectTo(database)
    const letGo = await holdFanOut(client)
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    const { head } = await bob.call('follow', { after: 0 })
    expect(head).toBe(bob.lastCursor)
    await letGo()
    await bob.delivered(3)
    expect(bob.entries.map(({ seq }) => seq)).toEqual([1, 1, 2])
  })

  test('[RELAY-7.36] the end of a mailbox waits for its own entries alone, and a sweep for none', async ({
    database,
  }) => {
    const here = await openShared(database)
    const [alice, bob, carol] = await here.people()
    const group = await here.chat(alice, bob)
    const before = await here.head(bob)
    const letGo = await holdFanOut(await connectTo(database))
    await send(here, { group, sender: alice })
    expect(await here.head(carol)).toBe(0)
    await here.sweep()
    const order: string[] = []
    const end = untilAvailable(() => here.head(bob)).then(head => {
      order.push('end')
      return head
    })
    await here.head(alice)
    order.push('let go')
    await letGo()
    expect(await end).toBeGreaterThan(before)
    expect(order).toEqual(['let go', 'end'])
  })

  test('[RELAY-7.36] what waits is not swept, however old it is, nor the members that it is for', async ({
    database,
  }) => {
    const here = await openShared(database)
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    const left = await here.chat(alice, bob)
    const letGo = await holdFanOut(await connectTo(database))
    const cursor = await here.store.mailboxHead(bob, { counted: 'placed' })
    await send(here, { group, sender: alice })
    // A group that is empty now is swept, unless something waits for those who were in it.
    await send(here, { group: left, sender: alice })
    for (const sender of [alice, bob]) await send(here, { group: left, sender, delivery: { kind: 'leave' } })
    here.nowMs += 40 * DAY_MS
    for (let more = true; more; ) more = (await here.store.sweep(here.nowMs)).more
    await letGo()
    await untilAvailable(() => here.store.flush())
    const read = await here.read(bob, cursor)
    expect(read.map(entry => [entry.group, entry.seq])).toEqual([
      [group, 2],
      [left, 2],
      [left, 3],
    ])
  })

  test('[RELAY-7.37] a turn takes small chats first, and the oldest entries as well', async ({ database }) => {
    const here = await openShared(database)
    const members = await here.crowd(LARGE)
    const [alice, bob] = await here.people()
    const [group, chat] = [await here.chat(...members), await here.chat(alice, bob)]
    const client = await connectTo(database)
    const letGo = await holdFanOut(client)
    for (let at = 0; at < 10; at++) await send(here, { group, sender: members[0] })
    await send(here, { group: chat, sender: alice })
    await send(here, { group: chat, sender: alice })
    const placedIn = async (): Promise<Record<string, string>> => {
      const { rows } = await client.query<{ id: string; seqs: string }>(
        `SELECT g.id, string_agg(DISTINCT e.seq::text, ' ') AS seqs FROM mailbox m JOIN entry e ON e.id = m.entry
         JOIN chat_group g ON g.num = e.chat_group WHERE e.seq > 1 GROUP BY g.id`,
      )
      return Object.fromEntries(rows.map(({ id, seqs }) => [id, seqs]))
    }
    const turn = "SELECT waiting FROM fan_out_turn($1, 'test')"
    expect((await client.query(turn, [LARGE + 10])).rows).toEqual([{ waiting: String(9 * LARGE) }])
    expect(await placedIn()).toEqual({ [group]: '2', [chat]: '2 3' })
    expect((await client.query(turn, [LARGE + 10])).rows).toEqual([{ waiting: String(8 * LARGE) }])
    expect(await placedIn()).toEqual({ [group]: '2 3', [chat]: '2 3' })
    await letGo()
    await untilAvailable(() => here.store.flush())
    expect(await seqsOf(here, members[1])).toEqual(upTo(2, 11))
  })

  test('[RELAY-7.37] the oldest entry is placed, however many small chats there are', async ({ database }) => {
    const here = await openShared(database)
    const members = await here.crowd(LARGE)
    const group = await here.chat(...members)
    const client = await connectTo(database)
    const letGo = await holdFanOut(client)
    await send(here, { group, sender: members[0] })
    // Each of a chat of its own, and all of them behind it.
    await client.query(`INSERT INTO outbox (entry, chat_group, seq, kind, sender, recipients)
      SELECT 1, 1000 + n, 1, 1, 1, '{1}' FROM generate_series(1, ${5 * LARGE}) n`)
    await client.query("SELECT fan_out_turn($1, 'test')", [2 * LARGE])
    const { rows } = await client.query('SELECT chat_group FROM outbox WHERE chat_group < 1000')
    expect(rows).toEqual([])
    await letGo()
  })

  test('[RELAY-7.37] when too many references wait, large groups are refused and small chats are not', () => {
    const codes = [2, LARGE].flatMap(size => {
      const judge = (backlog: number) => () => admit(batchOf(size, backlog), message)
      const { outboxReferencesMax } = postgresLimits
      return [codeThrown(judge(outboxReferencesMax)), codeThrown(judge(outboxReferencesMax + 1))]
    })
    expect(codes).toEqual(['', '', '', 'unavailable'])
  })
})

describe.skipIf(isMissing)('transactions that end out of order', () => {
  /** Writes to the log as a relay does, and leaves the transaction open. */
  async function beginWriting(client: Client, { group, sender }: { group: GroupId; sender: AccountId }): Promise<void> {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [group])
    await client.query(
      `WITH g AS (UPDATE log_end SET seq = log_end.seq + 1, ts = ts + 1 FROM chat_group WHERE num = chat_group AND id = $1
                 RETURNING num, log_end.seq, ts),
         a AS (SELECT num FROM account WHERE id = $2),
         e AS (INSERT INTO entry (chat_group, seq, kind, sender, ts, message, payload)
               SELECT g.num, g.seq, 1, a.num, g.ts, decode(repeat('ab', 20), 'hex'), 'slow' FROM g, a
               RETURNING id, chat_group, seq, sender)
       INSERT INTO outbox (entry, chat_group, seq, kind, sender) SELECT id, chat_group, seq, 1, sender FROM e`,
      [group, sender],
    )
  }

  test('[RELAY-7.38] an entry that took its number first and is committed last is delivered', async ({ database }) => {
    const [here, there] = [await openShared(database), await openShared(database)]
    const [alice, bob, carol] = await here.people()
    const [slow, quick] = [await here.chat(alice, bob), await here.chat(carol, bob)]
    const cursor = await here.head(bob)
    const [client, keeper] = [await connectTo(database), await connectTo(database)]
    await beginWriting(client, { group: slow, sender: alice })
    // Its number in the outbox is below theirs.
    const letGo = await holdFanOut(keeper)
    for (let at = 0; at < 5; at++) await send(at % 2 ? here : there, { group: quick, sender: carol })
    await letGo()
    await untilAvailable(() => here.store.flush())
    await untilAvailable(() => there.store.flush())
    const first = await there.read(bob, cursor)
    expect(first.map(({ group, seq }) => [group, seq])).toEqual(upTo(2, 6).map(seq => [quick, seq]))
    await client.query('COMMIT')
    const behind = first.at(-1)?.cursor ?? 0
    for (const world of [here, there]) {
      await untilAvailable(() => world.head(bob))
      expect((await world.read(bob, behind)).map(({ group, seq }) => [group, seq])).toEqual([[slow, 2]])
    }
  })

  test('[RELAY-7.38] no reader passes a position that is taken and not committed', async ({ database }) => {
    const [here, there] = [await openShared(database), await openShared(database)]
    const [alice, bob, carol] = await here.people()
    const [slow, quick] = [await here.chat(alice, bob), await here.chat(carol, bob)]
    // From here on the relay knows the group, and would place the next entry in the statement that writes it.
    await send(here, { group: quick, sender: carol })
    const cursor = await here.head(bob)
    const client = await connectTo(database)
    const letGo = await holdFanOut(client)
    await send(here, { group: slow, sender: alice })
    // Takes its position here, and is not committed.
    await client.query("SELECT fan_out_turn(100, 'test')")
    for (let at = 0; at < 5; at++) await send(at % 2 ? there : here, { group: quick, sender: carol })
    for (const world of [here, there]) expect(await world.read(bob, cursor)).toEqual([])
    await letGo()
    for (const world of [here, there]) {
      await untilAvailable(() => world.head(bob))
      const read = await world.read(bob, cursor)
      expect(read.map(({ group, seq }) => [group, seq])).toEqual([[slow, 2], ...upTo(3, 7).map(seq => [quick, seq])])
    }
  })
})
