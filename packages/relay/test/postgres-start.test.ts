// How relays start on a database: several at the same time, on a newer one, and on one that cannot be used.
import { freePort } from '@postern/testkit/free-port'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, newDatabase } from '@postern/testkit/test-databases'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postgresMigrations } from '../src/store/postgres/schema/migrations.ts'
import { codeOf } from './contract/world.ts'
import { openShared } from './shared-stores.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Starts on it are not tried.`)

async function emptyDatabase() {
  const url = await newDatabase()
  onTestFinished(() => forgetDatabase(url))
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return { url, sql: (text: string) => client.query(text) }
}

describe.skipIf(isMissing)('a relay that begins on a database', () => {
  test('[RELAY-7.14] is one of several that begin at once on an empty one', async () => {
    const { url, sql } = await emptyDatabase()
    const worlds = await Promise.all(Array.from({ length: 5 }, () => openShared(url)))
    const { rows } = await sql('SELECT version, usable_from FROM schema_version')
    expect(rows).toHaveLength(1)
    expect(new Set(worlds.map(({ store }) => Buffer.from(store.incarnation).toString('hex'))).size).toBe(1)
  })

  test('[RELAY-7.14] goes on where a newer one has been that leaves room for it, and nowhere else', async () => {
    const { url, sql } = await emptyDatabase()
    await (await openShared(url)).store.flush()
    await sql('UPDATE schema_version SET version = version + 1')
    await (await openShared(url)).store.flush()
    await sql('UPDATE schema_version SET usable_from = version')
    expect(await codeOf(openShared(url))).toBe('database-newer')
    const { rows } = await sql('SELECT version - usable_from AS apart FROM schema_version')
    expect(rows).toEqual([{ apart: 0 }])
  })

  test('[RELAY-7.14, RELAY-1.57] brings the first tables up to date, and a relay of that version lets devices in beside it', async () => {
    const { url, sql } = await emptyDatabase()
    await sql(`${postgresMigrations[0]?.sql};
      CREATE TABLE schema_version (one boolean PRIMARY KEY DEFAULT true, version integer NOT NULL, usable_from integer NOT NULL);
      INSERT INTO schema_version (version, usable_from) VALUES (1, 1)`)
    await sql("SELECT claim_device('phone', 'older')")
    const here = await openShared(url)
    const [alice] = await here.people()
    const claim = { device: 'phone', account: alice, serial: 1 }
    expect(await here.store.claimDevice(claim)).toEqual({ device: 'phone', generation: 2 })
    await sql("SELECT claim_device('phone', 'older')")
    expect(await here.store.claimDevice(claim)).toEqual({ device: 'phone', generation: 4 })
  })

  test('[RELAY-7.12] finds the one of several servers that takes writes', async () => {
    const { url } = await emptyDatabase()
    const { host } = new URL(url)
    const several = url.replace(host, `127.0.0.1:${await freePort()},${host}`)
    const [alice] = await (await openShared(`${several}?target_session_attrs=read-write`)).people()
    expect(await (await openShared(url)).store.getAccount(alice)).toBeDefined()
    const readOnly = `${url}?target_session_attrs=read-write&options=-c%20default_transaction_read_only%3Don`
    expect(await codeOf(openShared(readOnly))).toBe('database-unreachable')
  })

  test('[RELAY-7.12] says in a line why it cannot, and never its password', async () => {
    const { url } = await emptyDatabase()
    const wrong = [
      `postgres://alice:secret@127.0.0.1:${await freePort()}/postern`,
      url.replace(/\/[^/]*$/, '/nowhere').replace('postgres@', 'postgres:secret@'),
      'postgres://alice:secret@nowhere.invalid/postern',
    ]
    for (const address of wrong) {
      const error = await openShared(address).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'database-unreachable' })
      expect(String(error)).not.toMatch(/secret|\n/)
    }
  })
})
