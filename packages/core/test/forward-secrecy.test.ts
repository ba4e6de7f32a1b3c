// A stolen database, with its key, and everything that the relay ever saw: earlier messages stay unreadable.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDataDirectory } from '@postern/core/node'
import { isFirstFormat, joinFromWelcome, makeMlsContext, openSession } from '@postern/mls'
import { makeNodeProvider } from '@postern/mls/node'
import type { GroupId, MessageId } from '@postern/protocol'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { firstFormatOf } from '@postern/testkit/stored-session'
import { canRead } from '@postern/testkit/thief'
import Sqlite from 'better-sqlite3-multiple-ciphers'
import { describe, expect } from 'vitest'
import { storedSecrets } from '../src/groups/group-records.ts'

type KeyPackageRow = { reference: Uint8Array; public_bytes: Uint8Array; private_bytes: Uint8Array }

function valuesIn(directory: string): { values: Uint8Array[]; keyPackages: KeyPackageRow[] } {
  const database = openDataDirectory(directory)
  try {
    const values = ['mls_state', 'ratchet', 'pending_commit'].flatMap(table =>
      database
        .all<Record<string, unknown>>(`SELECT * FROM ${table}`)
        .flatMap(row => Object.values(row).filter(value => value instanceof Uint8Array)),
    )
    return { values, keyPackages: database.all<KeyPackageRow>('SELECT * FROM key_package') }
  } finally {
    database.close()
  }
}

const test = base
  .extend('seen', ({ bob }) => new HostileRelay(bob.wire))
  /** Everything in the tables of keys, and all remaining key packages. */
  .extend(
    'stolenFrom',
    ({ world }) =>
      async (person: TestPerson): Promise<{ values: Uint8Array[]; keyPackages: KeyPackageRow[] }> => {
        await world.close(person)
        return valuesIn(person.directory)
      },
  )
  .extend(
    'payloadsOf',
    ({ seen }) =>
      (kind: 'message' | 'welcome') =>
        seen.delivered.filter(entry => entry.kind === kind).map(({ payload }) => payload),
  )
  /** Alice sends fifty messages and deletes the third for everyone. Returns the relay's copy of that one. */
  .extend('talk', ({ alice, bob, payloadsOf }) => async (): Promise<Uint8Array> => {
    const words = Array.from({ length: 50 }, (_, at) => `word ${at}`)
    const sent: string[] = []
    for (const word of words) sent.push((await alice.say(bob, word)).id)
    await bob.hears('word 49')
    const third = { message: sent[2] as MessageId, for: 'all' as const }
    await alice.client.messages.delete(bob.chatId, third, WITHIN)
    await bob.next('deleted')
    return payloadsOf('message')[2] as Uint8Array
  })
  /** The bytes of the database file without its encryption, including free pages. */
  .extend('plainFile', ({ world }) => (directory: string): Buffer => {
    const copy = join(world.directory, 'copy.db')
    copyFileSync(join(directory, 'core.db'), copy)
    const sqlite = new Sqlite(copy)
    sqlite.pragma("cipher='aegis'")
    sqlite.pragma(`key='raw:${readFileSync(join(directory, 'db.key')).toString('hex')}'`)
    sqlite.pragma('journal_mode = DELETE')
    sqlite.pragma("rekey=''")
    sqlite.close()
    return readFileSync(copy)
  })

describe('[CORE-15.1] a message whose key was used cannot be read from what is stored', () => {
  test('by its reader’s database', async ({ bob, talk, stolenFrom }) => {
    const deleted = await talk()
    const { values } = await stolenFrom(bob)
    expect(await canRead(values, deleted)).toBe(false)
  })
  test('by its sender’s database', async ({ alice, talk, stolenFrom }) => {
    const deleted = await talk()
    const { values } = await stolenFrom(alice)
    expect(await canRead(values, deleted)).toBe(false)
  })
  test('by a copy of its reader’s files, made while it runs', async ({ world, bob, talk }) => {
    const deleted = await talk()
    const copy = join(world.directory, 'copy')
    mkdirSync(copy)
    for (const name of ['core.db', 'core.db-wal', 'db.key']) copyFileSync(join(bob.directory, name), join(copy, name))
    expect(await canRead(valuesIn(copy).values, deleted)).toBe(false)
  })
  test('by a key package that the reader still has', async ({ bob, talk, stolenFrom, payloadsOf }) => {
    await talk()
    const { keyPackages } = await stolenFrom(bob)
    const mls = makeMlsContext(makeNodeProvider(), () => 0)
    expect(keyPackages.length).toBeGreaterThan(0)
    for (const welcome of payloadsOf('welcome')) {
      const findKeyPackage = (reference: Uint8Array) => {
        const row = keyPackages.find(one => Buffer.compare(one.reference, reference) === 0)
        return row && { publicBytes: row.public_bytes, privateBytes: row.private_bytes }
      }
      await expect(joinFromWelcome(mls, { welcome, findKeyPackage })).rejects.toMatchObject({
        code: 'mls-not-invited',
      })
    }
  })
})

test('[CORE-15.1] a thief of the keys before a message was said would have read it', async ({
  world,
  alice,
  bob,
  stolenFrom,
  payloadsOf,
}) => {
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  const { values } = await stolenFrom(bob)
  await alice.say(bob, 'said to a copy')
  const again = await world.person('bob', { wire: bob.wire })
  await again.hears('said to a copy')
  expect(await canRead(values, payloadsOf('message').at(-1) as Uint8Array)).toBe(true)
})

test('[CORE-15.2] what was replaced or erased is in no page of the file', ({ world, plainFile }) => {
  const directory = join(world.directory, 'alone')
  const database = openDataDirectory(directory)
  const secret = (text: string) => Buffer.from(text.padEnd(32, '.'))
  const state = (text: string) => Buffer.concat(Array.from({ length: 400 }, () => secret(text)))
  const save = (node: number, text: string) =>
    database.run('INSERT OR REPLACE INTO ratchet (group_id, node, bytes) VALUES (?, ?, ?)', 'g', node, secret(text))
  for (let node = 0; node < 300; node++) save(node, `subtree ${node}`)
  for (let node = 0; node < 300; node += 3) database.run('DELETE FROM ratchet WHERE node = ?', node)
  for (let node = 1; node < 300; node += 3) save(node, `moved ${node}`)
  for (const text of ['the first epoch', 'the second epoch'])
    database.run('INSERT OR REPLACE INTO mls_state VALUES (?, ?)', 'g', state(text))
  database.emptyLog()
  const bytes = plainFile(directory)
  const holds = (text: string) => bytes.includes(secret(text))
  expect([holds('subtree 2'), holds('moved 1'), holds('the second epoch')]).toEqual([true, true, true])
  expect([holds('subtree 0'), holds('subtree 1'), holds('the first epoch')]).toEqual([false, false, false])
  database.close()
})

test('[CORE-15.3] a group stored in the first format is read, goes on, and is written again without used keys', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  await world.close(bob)
  const mls = makeMlsContext(makeNodeProvider(), () => 0)
  const database = openDataDirectory(bob.directory)
  const formats = (reads: typeof database) =>
    reads.all<{ bytes: Uint8Array }>('SELECT bytes FROM mls_state').map(({ bytes }) => isFirstFormat(bytes))
  for (const row of database.all<{ group_id: GroupId; bytes: Uint8Array }>('SELECT * FROM mls_state')) {
    const secretRows = storedSecrets(database, row.group_id)
    const old = await firstFormatOf(openSession(mls, { epochBlob: row.bytes, secretRows }))
    database.run('UPDATE mls_state SET bytes = ? WHERE group_id = ?', old, row.group_id)
    database.run('DELETE FROM ratchet WHERE group_id = ?', row.group_id)
  }
  expect(formats(database)).toEqual([true])
  database.close()
  const again = await world.person('bob')
  await alice.say(bob, 'after')
  await again.hears('after')
  await again.say(alice, 'answer')
  await alice.hears('answer')
  await world.close(again)
  const after = openDataDirectory(bob.directory)
  expect(formats(after)).toEqual([false])
  after.close()
})
