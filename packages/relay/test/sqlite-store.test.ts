// The SQLite store: the contract, and its own rules: one process, a full disk, a failing write.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isCoded, systemClock } from '@postern/protocol'
import { SteadySqlite } from '@postern/protocol/node'
import Database from 'better-sqlite3'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type RelayLimits, relayLimits } from '../src/limits/relay-limits.ts'
import { GroupCommit } from '../src/store/sqlite/group-commit.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { checkStoredRelay } from '../src/store/sqlite/tools/stored-copy.ts'
import { InProcessWake, type Wake } from '../src/store/wake.ts'
import { World } from './contract/world.ts'
import { storeContract } from './store.contract.ts'

const base = mkdtempSync(join(tmpdir(), 'relay-store-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(base, 'data-'))
})

const open = (limits: Partial<RelayLimits> = {}, wake: Wake = new InProcessWake()) =>
  openSqliteStore({ directory, limits: relayLimits(limits), wake, clock: systemClock })

storeContract('SQLite', async (limits, wake) => open(limits, wake))

const DAY_MS = 86_400_000

describe('one process', () => {
  const tryToOpen = async (): Promise<unknown> => {
    try {
      await open().close()
      return 'opened'
    } catch (error) {
      return isCoded(error) ? error.code : error
    }
  }

  test('[RELAY-1.24] a second store on the same file is refused, and the first goes on', async () => {
    const world = new World(open())
    expect(await tryToOpen()).toBe('database-locked')
    const [alice] = await world.people()
    expect(await world.store.getAccount(alice)).toBeDefined()
    await world.store.close()
    expect(await tryToOpen()).toBe('opened')
  })

  test('[RELAY-1.24] another process that has the file is respected until it is gone', async () => {
    const main = new URL('./run-relay.ts', import.meta.url).pathname
    const child: ChildProcess = spawn(process.execPath, [main, '--listen', '127.0.0.1:0', '--data', directory])
    await once(child.stdout ?? child, 'data')
    expect(await tryToOpen()).toBe('database-locked')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await tryToOpen()).toBe('opened')
  })

  test('[RELAY-1.24] data of a newer version is not touched', async () => {
    await open().close()
    const db = new Database(join(directory, 'relay.db'))
    db.pragma('user_version = 9999')
    db.close()
    const before = readFileSync(join(directory, 'relay.db'))
    expect(await tryToOpen()).toBe('database-newer')
    expect(readFileSync(join(directory, 'relay.db'))).toEqual(before)
  })
})

const DRAFTS = join(import.meta.dirname, 'drafts')

/** Tables as a commit made them, named by their number and the commit. */
test.each(readdirSync(DRAFTS))(
  '[RELAY-1.58] the tables of %s, which no step leads on from, are refused by the commit that can open them, and stay',
  draft => {
    const path = join(directory, 'relay.db')
    const db = new Database(path)
    db.pragma('journal_mode = WAL')
    db.exec(readFileSync(join(DRAFTS, draft), 'utf8'))
    db.close()
    const before = readFileSync(path)
    const commit = /-([0-9a-f]{7})\.sql$/.exec(draft)?.[1] ?? ''
    const refusal = expect.objectContaining({
      code: 'database-too-old',
      message: expect.stringContaining(`Only the sources at commit ${commit} can open it.`) as string,
    })
    expect(() => open()).toThrow(refusal)
    expect(() => checkStoredRelay(directory)).toThrow(refusal)
    expect(readFileSync(path)).toEqual(before)
  },
)

describe('when the disk is full', () => {
  test('[RELAY-1.25] writes are refused with storage-full, reads go on, and with room all goes on', async () => {
    const world = new World(open({ databaseBytesMax: 1 << 20 }))
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const payload = () => randomBytes(50_000)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, () => world.send(group, { sender: alice, payload: payload() })),
    )
    const refusals = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(refusals.length).toBeGreaterThan(5)
    for (const { reason } of refusals) expect(reason).toMatchObject({ code: 'storage-full' })
    const accepted = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value.accepted?.seq] : []))
    expect((await world.read(bob)).map(entry => entry.seq)).toEqual([1, ...accepted])
    expect(accepted).toEqual(accepted.map((_, at) => at + 2))

    world.nowMs += 31 * DAY_MS
    await world.sweep()
    const next = await world.send(group, { sender: alice, payload: payload() })
    expect(next.accepted?.seq).toBe(accepted.length + 2)
    await world.store.close()
  })

  test('[RELAY-1.25] what became of a message can be asked', async () => {
    const inMemory = () => new Database(':memory:')
    const db = new SteadySqlite(inMemory(), { path: ':memory:', open: inMemory, monotonicMs: () => 0 })
    const full = () => {
      throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
    }
    const hooks = { beforeCommit: full, committed: () => {}, rolledBack: () => {}, durable: () => {} }
    const writes = new GroupCommit(db, { writesMax: 10, hooks })
    const [written] = await Promise.allSettled([writes.run(() => 'written'), writes.caughtUp()])
    expect(written.status).toBe('rejected')
    await expect(writes.caughtUp()).resolves.toBeUndefined()
    const [, caughtUp] = await Promise.allSettled([writes.run(() => 'written'), writes.caughtUp()])
    expect(caughtUp.status).toBe('fulfilled')
    db.close()
  })
})

describe('one transaction for many', () => {
  test('[RELAY-1.18] a write that breaks half-way is undone alone', async () => {
    const world = new World(open())
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const sends = await Promise.allSettled([
      world.send(group, { sender: alice }),
      // A payload that cannot be stored fails inside the transaction, after the group was advanced in memory.
      world.store.append({
        group,
        epoch: 1,
        sender: alice,
        message: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' as never,
        payload: null as never,
        delivery: { kind: 'message' },
        nowMs: world.nowMs,
      }),
      world.send(group, { sender: bob }),
      world.send(group, { sender: alice }),
    ])
    expect(sends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect((await world.read(bob)).map(entry => entry.seq)).toEqual([1, 2, 4])
    expect((await world.read(alice)).map(entry => entry.seq)).toEqual([1, 3])
    await world.store.close()
  })

  test('[RELAY-1.1] memory that is too small for all groups changes nothing', async () => {
    const world = new World(open({ groupMembersCachedMax: 4, accountsCachedMax: 2, writesPerTransactionMax: 17 }))
    const people = await world.crowd(8)
    const groups = await Promise.all(people.slice(1).map(other => world.chat(people[0], other)))
    const sends = Array.from({ length: 70 }, (_, at) =>
      world.send(groups[at % 7] as (typeof groups)[number], { sender: people[0] }),
    )
    const seqs = (await Promise.all(sends)).map(verdict => verdict.accepted?.seq)
    expect(seqs).toEqual(sends.map((_, at) => Math.floor(at / 7) + 2))
    await world.store.close()
  })
})

describe('the length of the file', () => {
  const LONG = 6_000_000
  const SHORT = 1_600_000
  const fileBytes = () => statSync(join(directory, 'relay.db')).size

  const fill = async () => {
    const world = new World(open())
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const send = () => world.send(group, { sender: alice, payload: randomBytes(50_000) })
    await Promise.all(Array.from({ length: 130 }, send))
    world.nowMs += 31 * DAY_MS
    const kept = await send()
    expect((await world.store.figures()).databaseBytes).toBeGreaterThan(LONG)
    return { world, bob, send, kept: kept.accepted?.seq }
  }

  test('[RELAY-1.55] what is swept makes the file shorter, in turns beside which senders go on', async () => {
    const { world, bob, send, kept = 0 } = await fill()
    let sent = 0
    for (let turn = { removed: 0, more: true }; turn.more; ) {
      turn = await world.store.sweep(world.nowMs)
      if (turn.removed === 0 && sent < 5) sent = ((await send()).accepted?.seq ?? 0) - kept
    }
    expect((await world.read(bob)).map(entry => entry.seq)).toEqual(Array.from({ length: 6 }, (_, at) => kept + at))
    await world.store.close()
    expect(fileBytes()).toBeLessThan(SHORT)
    const again = new World(open())
    expect(await again.read(bob)).toHaveLength(6)
    await again.store.close()
  })

  test('[RELAY-1.55] while a backup copies the file, no pages move; afterwards the next sweep gives them back', async () => {
    const { world } = await fill()
    const release = await world.store.hold()
    const held = readFileSync(join(directory, 'relay.db'))
    await world.sweep()
    expect((await world.store.figures()).databaseBytes).toBeGreaterThan(LONG)
    expect(readFileSync(join(directory, 'relay.db')).equals(held)).toBe(true)
    release()
    await world.sweep()
    await world.store.close()
    expect(fileBytes()).toBeLessThan(SHORT)
  })

  test('[RELAY-1.56] a file of an older version becomes shorter at the next start, and loses nothing', async () => {
    const { world, bob, kept } = await fill()
    await world.store.close()
    const older = new Database(join(directory, 'relay.db'))
    older.pragma('auto_vacuum = NONE')
    older.exec('VACUUM')
    older.close()
    const before = new World(open())
    before.nowMs = world.nowMs
    await before.sweep()
    await before.store.close()
    expect(fileBytes()).toBeGreaterThan(LONG)

    const after = new World(open())
    expect(fileBytes()).toBeLessThan(SHORT)
    expect((await after.read(bob)).map(entry => entry.seq)).toEqual([kept])
    await after.store.close()
  })
})
