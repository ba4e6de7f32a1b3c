// The data directory: one process, one key, and only changes are written.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isCoded } from '@postern/protocol'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { checkStored } from '../src/recovery/stored-copy-node.ts'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { openSqlite } from '../src/storage/sqlite/sqlite-node.ts'
import { Store } from '../src/storage/transactions/store.ts'
import { personOn } from './person-on.ts'

const test = base
  /** A client on a database whose size the test can limit: SQLite itself then reports that it is full. */
  .extend('personOnSmallDisk', ({ world }) => async (name: string) => {
    const directory = join(world.directory, name)
    const database = openDataDirectory(directory)
    const person = await (await personOn(world, { name, directory, database })).online()
    const pages = (sql: string) => database.get<Record<string, number>>(sql)
    return {
      person,
      fillDisk: () => database.exec(`PRAGMA max_page_count = ${pages('PRAGMA page_count')?.['page_count'] ?? 0}`),
      freeDisk: () => database.exec('PRAGMA max_page_count = 1073741823'),
    }
  })

test('[CORE-11.1] a second process on one directory is refused', async ({ world, alice }) => {
  await expect(world.person('alice', { directory: alice.directory })).rejects.toSatisfy(error =>
    isCoded(error, 'database-locked'),
  )
})

test('[CORE-11.2] a missing or a wrong key is refused, and nothing is touched', async ({ world, alice }) => {
  const { directory } = alice
  await world.close(alice)
  const [keyFile, databaseFile] = [join(directory, 'db.key'), join(directory, 'core.db')]
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  const [key, database] = [readFileSync(keyFile), readFileSync(databaseFile)]

  rmSync(keyFile)
  expect(() => openDataDirectory(directory)).toThrow(expect.objectContaining({ code: 'database-key-missing' }))
  expect(existsSync(keyFile)).toBe(false)
  const wrong = Buffer.alloc(32, 7)
  writeFileSync(keyFile, wrong)
  expect(() => openDataDirectory(directory)).toThrow(expect.objectContaining({ code: 'database-key-wrong' }))
  expect(readFileSync(keyFile)).toEqual(wrong)
  writeFileSync(keyFile, 'short')
  expect(() => openDataDirectory(directory)).toThrow(expect.objectContaining({ code: 'database-key-wrong' }))
  expect(readFileSync(databaseFile)).toEqual(database)

  writeFileSync(keyFile, key)
  chmodSync(keyFile, 0o600)
  expect((await world.person('alice')).id).toBe(alice.id)
})

test('[CORE-11.4] a message writes its ratchet, and leaves the epoch as it is', async ({ world, alice, bob }) => {
  await alice.say(bob, 'one')
  await bob.hears('one')
  await expect.poll(() => alice.client.identity.profileOf(bob.id).name).toBe('bob')
  await world.close(alice)
  const look = () => {
    const store = new Store(openDataDirectory(alice.directory), setImmediate)
    const group = store.get<{ epoch: number; bytes: Uint8Array }>(
      'SELECT epoch, bytes FROM mls_group JOIN mls_state ON mls_state.group_id = mls_group.id',
    )
    const ratchets = store.all<{ node: number; bytes: Uint8Array }>('SELECT node, bytes FROM ratchet ORDER BY node')
    store.close()
    return { group, ratchets }
  }
  const before = look()
  const again = await world.person('alice')
  await again.say(bob, 'two')
  await world.close(again)
  const after = look()
  expect(after.group).toEqual(before.group)
  const moved = after.ratchets.filter(
    (row, at) => Buffer.compare(row.bytes, before.ratchets[at]?.bytes ?? Buffer.of()) !== 0,
  )
  expect(moved).toHaveLength(1)
  expect(moved[0]?.bytes.length).toBeLessThan(200)
})

test('[CORE-11.14] tables of a newer version are refused, and stay', async ({ world }) => {
  const directory = join(world.directory, 'alone')
  const database = openDataDirectory(directory)
  database.exec('PRAGMA user_version = 1000')
  database.close()
  for (let time = 0; time < 2; time++)
    expect(() => openDataDirectory(directory)).toThrow(expect.objectContaining({ code: 'database-newer' }))
})

const DRAFTS = join(import.meta.dirname, 'drafts')

/** Tables as a commit made them, named by their number and the commit. */
test.for(readdirSync(DRAFTS))(
  '[CORE-11.27] the tables of %s, which no step leads on from, are refused by the commit that can open them, and stay',
  async (draft, { world }) => {
    const directory = join(world.directory, 'alone')
    openDataDirectory(directory).close()
    const path = join(directory, 'core.db')
    rmSync(path)
    const database = openSqlite(path, readFileSync(join(directory, 'db.key')))
    database.exec(readFileSync(join(DRAFTS, draft), 'utf8'))
    database.close()
    const before = readFileSync(path)
    const commit = /-([0-9a-f]{7})\.sql$/.exec(draft)?.[1] ?? ''
    // The newest commit with the same tables, where that is another one.
    const opener = { '72990d7': 'c6d65d3', a753481: '1b984ed' }[commit] ?? commit
    const refusal = expect.objectContaining({
      code: 'database-too-old',
      message: expect.stringContaining(`Only the sources at commit ${opener} can open it.`) as string,
    })
    for (const open of [openDataDirectory, checkStored]) expect(() => open(directory)).toThrow(refusal)
    expect(readFileSync(path)).toEqual(before)
  },
)

test('[CORE-11.7] a change that throws takes no other with it', async ({ world }) => {
  const store = new Store(openDataDirectory(join(world.directory, 'alone')), setImmediate)
  const insert = (id: number) =>
    store.write(database => database.run('INSERT INTO reader (name, confirmed) VALUES (?, 0)', `r${id}`))
  const outcomes = await Promise.allSettled([insert(1), insert(1), insert(2)])
  expect(outcomes.map(outcome => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(store.all('SELECT name FROM reader')).toEqual([{ name: 'r1' }, { name: 'r2' }])
  store.close()
  await expect(insert(3)).rejects.toSatisfy(error => isCoded(error, 'stopping'))
})

test('[CORE-5.8] after an erasure the write-ahead log is empty', async ({ world }) => {
  const directory = join(world.directory, 'alone')
  const store = new Store(openDataDirectory(directory), setImmediate)
  await store.write(database => database.run("INSERT INTO reader (name, confirmed) VALUES ('r', 0)"))
  const logBytes = () => statSync(join(directory, 'core.db-wal')).size
  expect(logBytes()).toBeGreaterThan(0)
  store.eraseTraces()
  await new Promise(resolve => setImmediate(resolve))
  expect(logBytes()).toBe(0)
  store.close()
})

test('[CORE-2.8] after a hundred withdrawn messages the keys are renewed before the next word', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'one')
  await bob.hears('one')
  await world.close(alice)
  const inside = async (work: (store: Store) => Promise<unknown> | undefined) => {
    const store = new Store(openDataDirectory(alice.directory), setImmediate)
    await work(store)
    const group = store.get<{ epoch: number; withdrawn: number }>('SELECT epoch, withdrawn FROM mls_group')
    store.close()
    return group
  }
  await inside(store => store.write(database => database.run('UPDATE mls_group SET withdrawn = 99')))
  let again = await world.person('alice')
  await again.say(bob, 'two')
  await world.close(again)
  const before = await inside(store => store.write(database => database.run('UPDATE mls_group SET withdrawn = 100')))
  again = await world.person('alice')
  await again.say(bob, 'three')
  await bob.hears('three')
  await world.close(again)
  expect(before).toEqual({ epoch: 1, withdrawn: 100 })
  expect(await inside(() => undefined)).toEqual({ epoch: 2, withdrawn: 0 })
})

test('[CORE-4.7] a chat whose stored keys are damaged does not cut the account off from the others', async ({
  world,
  alice,
  bob,
  carol,
}) => {
  await bob.say(alice, 'before')
  await alice.hears('before')
  await world.close(alice)
  const store = new Store(openDataDirectory(alice.directory), setImmediate)
  await store.write(database => database.run('UPDATE mls_state SET bytes = zeroblob(16)'))
  store.close()
  await bob.say(alice, 'cannot be read')
  await carol.say(alice, 'comes after it')
  const again = await world.person('alice')
  await again.hears('comes after it')
  expect(again.texts(bob)).toEqual(['before'])
})

test('[CORE-11.5] a full disk refuses the send, acknowledges nothing, and everything goes on when there is room', async ({
  world,
  personOnSmallDisk,
}) => {
  const { person: alice, fillDisk, freeDisk } = await personOnSmallDisk('alice')
  const bob = await world.person('bob')
  try {
    await alice.say(bob, 'there is room')
    await bob.hears('there is room')
    await expect.poll(() => alice.client.identity.profileOf(bob.id).name).toBe('bob')
    const long = 'x'.repeat(4000)
    fillDisk()
    const sends = Array.from({ length: 8 }, () => alice.say(bob, long))
    const outcomes = await Promise.allSettled(sends)
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const { reason } of refused) expect(reason).toSatisfy(error => isCoded(error, 'storage-full'))
    const missed = Array.from({ length: 4 }, (_, at) => `${at}${long}`)
    for (const text of missed) await bob.say(alice, text)
    expect(alice.texts(bob)).not.toContain(missed[3])
    freeDisk()
    for (const text of missed) await alice.hears(text)
    await alice.say(bob, 'room again')
    await bob.hears('room again')
    expect(bob.texts(alice).filter(text => text === long)).toHaveLength(outcomes.length - refused.length)
    expect(alice.texts(bob).filter(text => missed.includes(text))).toEqual(missed)
  } finally {
    await alice.client.stop()
  }
})

test('[CORE-11.11] what the program around a client keeps outlives a restart, all of a change or none', async ({
  world,
}) => {
  const before = await world.person('alice')
  const records = before.client.records('shop')
  await records.change({ key: 'b', put: '2' }, { key: 'a', put: '1' }, { key: 'c', put: '3' })
  await before.client.records('other').change({ key: 'a', put: 'elsewhere' })
  await records.change({ key: 'a', put: 'one' }, { key: 'c', remove: true })
  const unwritable = { key: 'x', put: null as unknown as string }
  await expect(records.change({ key: 'a', put: 'lost' }, unwritable)).rejects.toThrow()
  const read: unknown[] = []
  const failing = records.transact(change => {
    change({ key: 'a', put: 'lost, too' })
    read.push(records.get('a'))
    change(unwritable)
  })
  await expect(failing).rejects.toThrow()
  // Beside other writes, it runs again alone.
  expect(new Set(read)).toEqual(new Set(['lost, too']))
  await world.close(before)

  const after = (await world.person('alice')).client.records('shop')
  expect(after.all()).toEqual([
    { key: 'a', value: 'one' },
    { key: 'b', value: '2' },
  ])
  expect(after.get('c')).toBeUndefined()
})
