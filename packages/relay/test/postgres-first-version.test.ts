// A database of the first version that is migrated while relays of that version work on it.
import { randomBytes } from 'node:crypto'
import { type AccountId, accountIdFromHash, fromBase32, type GroupId } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, newDatabase } from '@postern/testkit/test-databases'
import { Client } from 'pg'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { postgresMigrations } from '../src/store/postgres/schema/migrations.ts'
import { START_MS } from './contract/world.ts'
import { openShared } from './shared-stores.ts'
import { idOf, newGroupId } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} A database of the first version is not tried.`)

/** A relay of the first version, represented by its statements, each prepared once as it does. */
class FirstRelay {
  readonly #client: Client
  readonly alice: AccountId = accountIdFromHash(randomBytes(32))
  readonly bob: AccountId = accountIdFromHash(randomBytes(32))
  readonly group: GroupId = newGroupId()
  readonly payloads: Uint8Array[] = []

  private constructor(client: Client) {
    this.#client = client
  }

  static async start(database: string): Promise<FirstRelay> {
    const client = new Client(database)
    await client.connect()
    onTestFinished(() => client.end())
    const relay = new FirstRelay(client)
    await client.query(`CREATE TABLE schema_version (
      one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, usable_from integer NOT NULL);
      INSERT INTO schema_version (version, usable_from) VALUES (1, 1); ${postgresMigrations[0]?.sql}`)
    await client.query(
      `INSERT INTO account (id, account_key, created_ms) SELECT id, '\\x00', ${START_MS} FROM unnest($1::text[]) id`,
      [[relay.alice, relay.bob]],
    )
    await client.query(`INSERT INTO chat_group (id, creator, epoch, seq, last_ts) VALUES ($1, 1, 1, 0, ${START_MS})`, [
      relay.group,
    ])
    await client.query('INSERT INTO member (chat_group, account, since) VALUES (1, 1, 0), (1, 2, 0)')
    return relay
  }

  get messages(): Uint8Array[] {
    return this.payloads.map(payload => fromBase32(idOf(payload)) ?? new Uint8Array())
  }

  async send(): Promise<void> {
    const payload = randomBytes(40)
    const seq = this.payloads.length + 1
    await this.#ask(
      'append',
      `SELECT ids FROM try_batch('{}', '{}', $1::text[], ARRAY(SELECT roster FROM chat_group), $2::bigint[], '{1}', 20000, 1, 'first',
        '{1}', $3::bigint[], '{1}', '{1}', $4::bigint[], '{null}', '{null}', '{null}', $5::bytea, $6::bytea, '{40}',
        '{1}', '{1}', $3::bigint[], $4::bigint[], '{}', '{}', '{}', '{}', '{}', '{}')`,
      [[this.group], [seq - 1], [seq], [START_MS + seq], fromBase32(idOf(payload)), payload],
    )
    this.payloads.push(payload)
  }

  /** The payloads that it shows of a mailbox. */
  async read(): Promise<Uint8Array[]> {
    const rows = await this.#ask(
      'page',
      `SELECT payload FROM unnest('{2}'::integer[], '{0}'::bigint[]) AS asked (account, after)
       CROSS JOIN LATERAL (
         SELECT payload FROM mailbox JOIN entry ON entry.id = mailbox.entry
         WHERE mailbox.account = asked.account AND mailbox.pos > asked.after ORDER BY mailbox.pos LIMIT 100000) found`,
      [],
    )
    return rows.map(({ payload }) => payload as Uint8Array)
  }

  async outcome(message: Uint8Array): Promise<unknown> {
    const asked = 'SELECT entry.seq FROM chat_group g LEFT JOIN entry ON entry.message = $2 WHERE g.id = $1'
    return (await this.#ask('outcome', asked, [this.group, message]))[0]?.['seq']
  }

  async sweep(count: number): Promise<void> {
    await this.#ask(
      'sweep',
      `WITH oldest AS (SELECT id FROM entry WHERE id >= (SELECT floor FROM retention) ORDER BY id LIMIT $1),
         gone AS (DELETE FROM entry USING oldest WHERE entry.id = oldest.id RETURNING entry.id)
       UPDATE retention SET floor = (SELECT max(id) + 1 FROM gone)`,
      [count],
    )
    const floor = '(SELECT floor FROM retention)'
    await this.#ask('sweep-more', `DELETE FROM mailbox WHERE account = 2 AND entry < ${floor}`, [])
  }

  async #ask(name: string, text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    return (await this.#client.query({ name, text, values })).rows
  }
}

describe.skipIf(isMissing)('a database of the first version', () => {
  let database: string
  beforeEach(async () => {
    database = await newDatabase()
    onTestFinished(() => forgetDatabase(database))
  })

  test('[RELAY-7.14] gets partitions while its relays go on, and nothing is lost or comes twice', async () => {
    const first = await FirstRelay.start(database)
    for (let at = 0; at < 50; at++) await first.send()
    expect(await first.read()).toHaveLength(50)
    const state = { isOpen: false }
    const opening = openShared(database).finally(() => (state.isOpen = true))
    while (!state.isOpen) await first.send()
    for (let at = 0; at < 10; at++) await first.send()
    const world = await opening
    await world.head(first.bob)
    const read = await world.read(first.bob)
    expect(read.map(({ payload }) => idOf(payload))).toEqual(first.payloads.map(idOf))
    expect(await first.read()).toHaveLength(first.payloads.length)
    for (const [at, payload] of [...first.payloads.entries()].filter(([at]) => at % 10 === 0 || at > 45)) {
      const sent = { group: first.group, epoch: 1, sender: first.alice, message: idOf(payload), payload }
      const { accepted } = await world.store.append({ ...sent, delivery: { kind: 'message' }, nowMs: START_MS })
      expect(accepted).toMatchObject({ seq: at + 1, duplicate: true })
      expect(Number(await first.outcome(first.messages[at] as Uint8Array))).toBe(at + 1)
    }
    await first.send()
  })

  test('[RELAY-7.14] is swept by its relays, too, after others have begun a partition', async () => {
    const first = await FirstRelay.start(database)
    for (let at = 0; at < 20; at++) await first.send()
    const world = await openShared(database, { partitionEntriesMin: 5 })
    world.nowMs = START_MS + 5 * 86_400_000
    await world.sweep()
    for (let at = 0; at < 5; at++) await first.send()
    await first.sweep(7)
    expect(await first.read()).toHaveLength(18)
    expect((await world.read(first.bob)).map(({ seq }) => seq)).toEqual(Array.from({ length: 18 }, (_, at) => at + 8))
    expect(Number(await first.outcome(first.messages[22] as Uint8Array))).toBe(23)
  })

  test('[RELAY-7.14] is not read while its tables are locked', async () => {
    const first = await FirstRelay.start(database)
    await first.send()
    const client = new Client(database)
    await client.connect()
    onTestFinished(() => client.end())
    const [, step] = postgresMigrations
    for (const sql of step?.before ?? []) await client.query(sql)
    const said: string[] = []
    client.on('notice', ({ message }) => said.push(message ?? ''))
    await client.query(`BEGIN; SET LOCAL client_min_messages = debug1; ${step?.sql}; COMMIT`)
    const implied = said.filter(line => line.includes('implied by existing constraints')).join()
    for (const table of ['"entry_0"', '"mailbox_0"']) expect(implied).toContain(table)
  })

  test('[RELAY-7.14] that was cut off while it was read is brought up to date by the next', async () => {
    const first = await FirstRelay.start(database)
    await first.send()
    const client = new Client(database)
    await client.connect()
    onTestFinished(() => client.end())
    for (const sql of postgresMigrations[1]?.before?.slice(0, 3) ?? []) await client.query(sql)
    await first.send()
    expect(await (await openShared(database)).read(first.bob)).toHaveLength(2)
    const left = await client.query("SELECT 1 FROM pg_constraint WHERE conname ~ '_below$'")
    expect(left.rows).toEqual([])
  })
})
