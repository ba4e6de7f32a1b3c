// Faults of the log's server, the connection to it, or one of its users, at the worst possible moment.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountId, GroupId } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, type World } from './contract/world.ts'
import { openShared } from './shared-stores.ts'
import { idOf } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Faults of it are not tried.`)

let server: PostgresServer
beforeAll(async () => {
  if (!isMissing) server = await PostgresServer.start()
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** Another session at the database that is in the way. */
async function intruder(database: string): Promise<Client> {
  const client = new Client(database)
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end().catch(() => undefined))
  return client
}

type Chat = { alice: AccountId; bob: AccountId; group: GroupId }

async function chatIn(world: World): Promise<Chat> {
  const [alice, bob] = await world.people()
  return { alice, bob, group: await world.chat(alice, bob) }
}

const send = ({ store, nowMs }: World, { alice, group }: Chat, payload: Uint8Array = randomBytes(40)) =>
  store.append({
    group,
    epoch: 1,
    sender: alice,
    message: idOf(payload),
    payload,
    delivery: { kind: 'message' },
    nowMs,
  })

/** Retries as a client does, until the outcome is known. */
async function sendUntilKnown(world: World, chat: Chat, payload: Uint8Array): Promise<number> {
  for (;;) {
    try {
      return (await send(world, chat, payload)).accepted?.seq ?? 0
    } catch {
      await pause(50)
    }
  }
}

/** The process that is filling mailboxes, and waits for a locked row. */
async function whoFillsMailboxes(watcher: Client): Promise<number> {
  const look = async (): Promise<number> => {
    const { rows } = await watcher.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE query LIKE '%fan_out_turn%' AND wait_event_type = 'Lock'
         AND wait_event IN ('transactionid', 'tuple') AND datname = current_database()`,
    )
    return rows[0]?.pid ?? 0
  }
  await expect.poll(look).not.toBe(0)
  return await look()
}

describe.skipIf(isMissing)('filling mailboxes', () => {
  test('[RELAY-7.10] killed between what it took and its commit, nothing is lost and nothing doubled', async () => {
    const database = await server.createDatabase()
    const [here, there] = [await openShared(database), await openShared(database)]
    const chat = await chatIn(here)
    const [keeper, holder, watcher] = [await intruder(database), await intruder(database), await intruder(database)]
    const seqs: number[] = []
    for (let round = 0; round < 5; round++) {
      await keeper.query('BEGIN')
      await keeper.query('SELECT pg_advisory_xact_lock(3, 1)')
      for (let at = 0; at < 5; at++) seqs.push((await send(at % 2 ? here : there, chat)).accepted?.seq ?? 0)
      // Removing the rows is its last step: it waits there, with everything else done.
      await holder.query('BEGIN')
      await holder.query('SELECT id FROM outbox FOR UPDATE')
      await keeper.query('ROLLBACK')
      const pid = await whoFillsMailboxes(watcher)
      await watcher.query('SELECT pg_terminate_backend($1)', [pid])
      await holder.query('ROLLBACK')
    }
    await expect.poll(() => there.store.mailboxHead(chat.bob).catch(() => 0)).toBeGreaterThan(0)
    const read = await there.read(chat.bob)
    expect(read.slice(1).map(({ seq }) => seq)).toEqual(seqs)
    expect(await here.read(chat.bob)).toEqual(read)
  })

  test('[RELAY-7.10] one that stands still in the middle of it is passed over, and finds nothing left when it wakes', async () => {
    const database = await server.createDatabase()
    const [here, there] = [await openShared(database), await openShared(database)]
    const chat = await chatIn(here)
    const sleeper = await intruder(database)
    const seqs: number[] = []
    // Like a relay that was stopped between two statements: it holds the lock, and has taken the existing rows.
    await sleeper.query('BEGIN')
    await sleeper.query('SELECT pg_advisory_xact_lock(3, 1)')
    for (let at = 0; at < 5; at++) seqs.push((await send(here, chat)).accepted?.seq ?? 0)
    await sleeper.query("SELECT placed, grown FROM fan_out_turn(400, 'sleeper')")
    await sleeper.query("SET LOCAL idle_in_transaction_session_timeout = '700ms'")
    for (let at = 0; at < 5; at++) seqs.push((await send(there, chat)).accepted?.seq ?? 0)
    await there.store.mailboxHead(chat.bob)
    expect((await there.read(chat.bob)).slice(1).map(({ seq }) => seq)).toEqual(seqs)
    await expect(sleeper.query('COMMIT')).rejects.toThrow()
    expect((await here.read(chat.bob)).slice(1).map(({ seq }) => seq)).toEqual(seqs)
  })

  test('[RELAY-7.10] what a relay has left that died is found by the others', async () => {
    const database = await server.createDatabase()
    const here = await openShared(database)
    const chat = await chatIn(here)
    const writer = await intruder(database)
    const woken = Promise.withResolvers<void>()
    const cursor = await here.head(chat.bob)
    expect(await here.read(chat.bob, cursor)).toEqual([])
    here.wake.subscribe(chat.bob, woken.resolve)
    // In the log and in the outbox, and then its relay was gone.
    await writer.query(
      `WITH g AS (UPDATE log_end SET seq = seq + 1, ts = ts + 1 RETURNING chat_group AS num, seq, ts),
         a AS (SELECT num FROM account WHERE id = $1),
         e AS (INSERT INTO entry (chat_group, seq, kind, sender, ts, message, payload)
               SELECT g.num, g.seq, 1, a.num, g.ts, decode(repeat('ab', 20), 'hex'), 'left' FROM g, a
               RETURNING id, chat_group, seq, sender)
       INSERT INTO outbox (entry, chat_group, seq, kind, sender) SELECT id, chat_group, seq, 1, sender FROM e`,
      [chat.alice],
    )
    await woken.promise
    expect((await here.read(chat.bob, cursor)).map(({ payload }) => Buffer.from(payload).toString())).toEqual(['left'])
  })

  test('[RELAY-2.32] a deletion does not overtake what the account has sent before it', async () => {
    const database = await server.createDatabase()
    const here = await openShared(database)
    const chat = await chatIn(here)
    const holder = await intruder(database)
    await holder.query('BEGIN')
    await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [chat.group])
    const first = send(here, { ...chat, alice: chat.bob })
    const waits = `SELECT count(*)::integer AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
    await expect.poll(async () => (await holder.query(waits)).rows).toEqual([{ waiting: 1 }])
    const sent = send(here, chat)
    const deleted = here.store.deleteAccount(chat.alice, here.nowMs)
    // Far more turns than a deletion would take.
    for (let turn = 0; turn < 50; turn++) await here.store.getProfile(chat.bob)
    await holder.query('ROLLBACK')
    expect([(await first).accepted, (await sent).accepted]).toEqual([expect.anything(), expect.anything()])
    await deleted
    expect((await send(here, chat).catch(() => undefined))?.accepted).toBeUndefined()
  })

  test('[RELAY-7.13] when too much waits for its mailboxes nothing more is taken, and then all goes on', async () => {
    const database = await server.createDatabase()
    const here = await openShared(database)
    const chat = await chatIn(here)
    const holder = await intruder(database)
    await holder.query('BEGIN')
    await holder.query('SELECT pg_advisory_xact_lock(3, 1)')
    const payload = randomBytes(40)
    const first = await send(here, chat, payload)
    // As if that many had arrived.
    const filler = await intruder(database)
    await filler.query("SELECT setval(pg_get_serial_sequence('outbox', 'id'), 30000)")
    await send(here, chat)
    expect(await codeOf(send(here, chat))).toBe('unavailable')
    expect((await send(here, chat, payload)).accepted).toEqual({ ...first.accepted, duplicate: true })
    await holder.query('ROLLBACK')
    await here.store.mailboxHead(chat.bob)
    expect((await send(here, chat)).accepted).toBeDefined()
  })
})

describe.skipIf(isMissing)('the way to the database', () => {
  test('[RELAY-7.11] lost at a commit, a sender hears what is in the log', async () => {
    const database = await server.createDatabase()
    const cutter = await cuttingProxy(server.port)
    const address = database.replace(`:${server.port}/`, `:${cutter.port}/`)
    const knowing = await openShared(address)
    const chat = await chatIn(knowing)
    // From here on the relay knows the state of the group.
    await send(knowing, chat)
    for (let round = 0; round < 8; round++) {
      const payloads = [randomBytes(40), randomBytes(40), randomBytes(40)]
      // A store that has just started uses a transaction;
      // one that knows the group, a statement that contains the payloads.
      const isTransaction = round >= 4
      const here = isTransaction ? await openShared(address) : knowing
      void here.store.acknowledge(chat.alice, { cursor: 1, mark: round })
      const at = isTransaction ? Buffer.from('COMMIT') : (payloads[0] ?? Buffer.of())
      cutter.cutAt(at, round % 2 ? 'before it arrives' : 'before it is answered')
      const told = await Promise.all(
        payloads.map(payload => send(here, chat, payload).then(({ accepted }) => accepted)),
      )
      expect(cutter.cuts).toBe(round + 1)
      for (const [at, payload] of payloads.entries()) {
        const { accepted } = await here.store.outcome(idOf(payload), { group: chat.group, by: chat.alice })
        expect(accepted).toEqual({ ...told[at], duplicate: true })
      }
    }
    await knowing.store.mailboxHead(chat.bob)
    expect((await knowing.read(chat.bob)).map(({ seq }) => seq)).toEqual(Array.from({ length: 26 }, (_, at) => at + 1))
  })

  test('[RELAY-7.12] killed under load and started again: what was accepted is there once, in order, and all goes on', async () => {
    const own = await PostgresServer.start()
    onTestFinished(() => own[Symbol.asyncDispose]())
    const database = await own.createDatabase()
    const [here, there] = [await openShared(database), await openShared(database)]
    const chat = await chatIn(here)
    const load = { isOver: false }
    const accepted = new Map<string, number>()
    const loads = [here, there, here, there].map(async world => {
      while (!load.isOver) {
        const payload = randomBytes(40)
        accepted.set(idOf(payload), await sendUntilKnown(world, chat, payload))
      }
    })
    for (let round = 0; round < 3; round++) {
      const before = accepted.size
      await expect.poll(() => accepted.size).toBeGreaterThan(before + 20)
      await own.kill()
      await own.start()
    }
    load.isOver = true
    await Promise.all(loads)
    await expect.poll(() => there.store.mailboxHead(chat.bob).catch(() => 0)).toBeGreaterThan(0)
    const read = (await there.read(chat.bob)).slice(1)
    expect(read.map(({ payload }) => idOf(payload)).toSorted()).toEqual([...accepted.keys()].toSorted())
    for (const { payload, seq } of read) expect(accepted.get(idOf(payload))).toBe(seq)
    expect(read.map(({ seq }) => seq)).toEqual(Array.from(read, (_, at) => at + 2))
  })

  test('[RELAY-7.12] who follows looks again when hints were not heard for a while', async () => {
    const database = await server.createDatabase()
    const [here, there] = [await openShared(database), await openShared(database)]
    const chat = await chatIn(here)
    const watcher = await intruder(database)
    const cursor = await there.head(chat.bob)
    await there.read(chat.bob, cursor)
    const heard = Promise.withResolvers<void>()
    const look = async (): Promise<void> => {
      if ((await there.read(chat.bob, cursor)).length > 0) heard.resolve()
    }
    there.wake.subscribe(chat.bob, () => void look().catch(heard.reject))
    await watcher.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    )
    await send(here, chat)
    await heard.promise
  })

  test('[RELAY-7.12] who follows waits for the database also at a relay that has not met the account yet', async () => {
    const database = await server.createDatabase()
    const world = await openShared(database)
    const chat = await chatIn(world)
    await send(world, chat)
    const other = await openShared(database)
    await server.kill()
    const page = other.read(chat.bob)
    await expect(other.store.mailboxHead(chat.bob)).rejects.toMatchObject({ code: 'unavailable' })
    await server.start()
    expect((await page).map(({ seq }) => seq)).toEqual([1, 2])
  })

  test('[RELAY-7.13] a statement that takes too long is given up, and the next one goes through', async () => {
    const database = await server.createDatabase()
    const here = await openShared(`${database}?statement_timeout=400`)
    const chat = await chatIn(here)
    const holder = await intruder(database)
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE entry IN ACCESS EXCLUSIVE MODE')
    const payload = randomBytes(40)
    expect(await codeOf(send(here, chat, payload))).toBe('unavailable')
    await holder.query('ROLLBACK')
    expect((await send(here, chat, payload)).accepted?.duplicate).toBe(false)
  })

  test('[RELAY-7.13] when all connections are taken, messages go on, and whoever waits is served', async () => {
    const database = await server.createDatabase()
    const here = await openShared(database)
    const chat = await chatIn(here)
    const holder = await intruder(database)
    await holder.query('BEGIN')
    await holder.query('SELECT num FROM account FOR UPDATE')
    const waiting = Promise.all(Array.from({ length: 30 }, () => here.store.setBanned(chat.bob, undefined)))
    for (let at = 0; at < 5; at++) expect((await send(here, chat)).accepted).toBeDefined()
    await holder.query('ROLLBACK')
    expect(await waiting).toHaveLength(30)
  })
})

type Cut = 'before it arrives' | 'before it is answered'

/** Between a store and its server: cuts the connection on which these bytes come next, once per call. */
async function cuttingProxy(port: number) {
  let due: { at: Buffer; cut: Cut } | undefined
  const state = { port: 0, cuts: 0, cutAt: (at: Buffer, cut: Cut) => void (due = { at, cut }) }
  const proxy = createServer(near => {
    const far = connect(port, '127.0.0.1')
    const end = (): void => void [near, far].map((socket: Socket) => socket.destroy())
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
    far.on('data', bytes => near.write(bytes))
    near.on('data', bytes => {
      const cut = due && bytes.includes(due.at) ? due.cut : undefined
      if (cut) {
        due = undefined
        state.cuts += 1
      }
      if (cut === 'before it arrives') return end()
      // The server's answer is not forwarded: it has committed, and nobody here knows.
      if (cut) far.removeAllListeners('data').on('data', end)
      far.write(bytes)
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  state.port = (proxy.address() as AddressInfo).port
  return state
}
