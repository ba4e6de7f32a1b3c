// A mailbox as after weeks away, written into the database of a stopped relay: sending as much would take minutes.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { GROUP_ID_BYTES } from '@postern/protocol'
import { askDatabase } from '@postern/testkit/postgres'
import { databaseOf } from '@postern/testkit/test-databases'
import { expect } from 'vitest'
import { rowsOf } from './relay-database.ts'

type Filling = { of: string; from: string; count: number }

/** The epoch follows the version, the wire format and the group's id. */
const EPOCH = { at: 5 + GROUP_ID_BYTES, bytes: 8 }

/** Before the relay is stopped: on PostgreSQL, an entry outside of a mailbox would come after all that is filled in. */
export async function allDelivered(relayDirectory: string): Promise<void> {
  const database = await databaseOf(relayDirectory)
  if (database === undefined) return
  await expect.poll(() => askDatabase(database, 'SELECT count(*) FROM outbox')).toEqual(['0'])
}

/** As if a sender's messages of a past epoch were repeated: nothing to show, and each must be checked. */
export async function fillMailbox(relayDirectory: string, filling: Filling): Promise<void> {
  const database = await databaseOf(relayDirectory)
  if (database === undefined) fillFile(join(relayDirectory, 'relay.db'), filling)
  else await fillDatabase(database, filling)
}

export async function lastCursor(relayDirectory: string, account: string): Promise<number> {
  const number = `(SELECT num FROM account WHERE id = '${account}')`
  const [last] = await rowsOf(relayDirectory, `SELECT max(pos) FROM mailbox WHERE account = ${number}`)
  return Number(last)
}

function fillFile(path: string, { of, from, count }: Filling): void {
  const database = new DatabaseSync(path)
  const numberOf = (account: string) => database.prepare('SELECT num FROM account WHERE id = ?').get(account)?.['num']
  const newest = database.prepare('SELECT max(pos) AS pos, chat_group, payload FROM entry WHERE kind = 1').get()
  const { chat_group: group, payload } = newest as { chat_group: number; payload: Uint8Array }
  const past = payload.slice().fill(0, EPOCH.at, EPOCH.at + EPOCH.bytes)
  database.exec('BEGIN')
  database
    .prepare(
      `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
       INSERT INTO entry (chat_group, seq, kind, sender, ts, payload)
       SELECT num, seq + n, 1, ?, last_ts + n, ? FROM chat_group, counted WHERE num = ?`,
    )
    .run(count, numberOf(from) as number, past, group)
  database
    .prepare('INSERT INTO mailbox SELECT ?, pos FROM entry ORDER BY pos DESC LIMIT ?')
    .run(numberOf(of) as number, count)
  database.prepare('UPDATE chat_group SET seq = seq + ?1, last_ts = last_ts + ?1 WHERE num = ?2').run(count, group)
  database.exec('COMMIT')
  database.close()
}

async function fillDatabase(database: string, { of, from, count }: Filling): Promise<void> {
  const past = `overlay(payload PLACING '\\x${'00'.repeat(EPOCH.bytes)}' FROM ${EPOCH.at + 1})`
  await askDatabase(
    database,
    `CREATE TEMP TABLE before AS SELECT pos FROM head;
     WITH newest AS (
       SELECT chat_group AS num, log_end.seq, log_end.ts AS last_ts, ${past} AS payload
       FROM entry JOIN log_end USING (chat_group)
       WHERE kind = 1 ORDER BY entry.id DESC LIMIT 1),
     added AS (
       INSERT INTO entry (chat_group, seq, kind, sender, ts, payload)
       SELECT newest.num, seq + n, 1, account.num, last_ts + n, payload
       FROM newest, account, generate_series(1, ${count}) AS n WHERE account.id = '${from}'
       RETURNING id),
     placed AS (
       INSERT INTO mailbox (account, pos, entry)
       SELECT num, pos + row_number() OVER (ORDER BY added.id), added.id FROM account, before, added
       WHERE account.id = '${of}')
     UPDATE log_end SET seq = log_end.seq + ${count}, ts = log_end.ts + ${count}
     FROM newest WHERE log_end.chat_group = newest.num;
     UPDATE head SET pos = pos + ${count}`,
  )
}
