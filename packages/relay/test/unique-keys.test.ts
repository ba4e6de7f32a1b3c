// Every UNIQUE and PRIMARY KEY of the stores, and why no account can use it against another:
// a new one needs a reason here.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uniqueKeysOf } from '@postern/testkit'
import { askDatabase, findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/store/sqlite/database.ts'

const single = 'one row'
const numbered = 'a number of the store'
const ofAccount = 'scoped to an account'
const ofGroup = 'scoped to a group'
const ofOwner = 'scoped to a blob, which only its owner writes'

const shared: Record<string, string> = {
  'account (num)': numbered,
  'account (id)': 'the hash of its key',
  'blob (id)': 'drawn at random by its owner; taken again after its end, it has another digest',
  'blob_part (blob, number)': ofOwner,
  'blob_upload (blob)': ofOwner,
  'chat_group (num)': numbered,
  'chat_group (id)': 'drawn at random by its creator, and known to nobody before it is there',
  'contact (account, peer)': ofAccount,
  'continuation (creator, continued)': 'scoped to the account that carries a group on',
  'key_package (num)': numbered,
  'last_resort (account)': ofAccount,
  'member (chat_group, account)': ofGroup,
  'past_member (chat_group, account)': ofGroup,
  'profile (account)': ofAccount,
  'push_key (one)': single,
  'push_subscription (device)': 'a device, which the connection has proved',
  'retention (one)': single,
}

const onSqlite: Record<string, string> = {
  ...shared,
  'attention (pos)': numbered,
  'entry (pos)': numbered,
  'entry (message)': 'the hash of a payload that names its group; only a member of it appends there',
  'incarnation (one)': single,
  'invite_use (hash)': 'a code that the operator has made',
  'key_package (account, hash)': ofAccount,
  'mailbox (account, pos)': ofAccount,
}

test('[RELAY-1.47] every unique key on SQLite has a reason', () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-keys-'))
  const db = openDatabase(directory, 2 ** 30)
  try {
    const all = <Row>(sql: string, ...values: string[]) => db.prepare(sql).all(...values) as Row[]
    expect(uniqueKeysOf({ all })).toEqual(Object.keys(onSqlite).toSorted())
  } finally {
    db.close()
    rmSync(directory, { recursive: true })
  }
})

const keysOnPostgres = `
  SELECT DISTINCT tab.relname || ' (' || string_agg(col.attname, ', ' ORDER BY place.at) || ')'
  FROM pg_index JOIN pg_class tab ON tab.oid = indrelid JOIN pg_namespace space ON space.oid = tab.relnamespace
    CROSS JOIN LATERAL unnest(indkey) WITH ORDINALITY AS place (num, at)
    JOIN pg_attribute col ON col.attrelid = tab.oid AND col.attnum = place.num
  WHERE indisunique AND NOT tab.relispartition AND space.nspname NOT LIKE 'pg\\_%' AND space.nspname <> 'information_schema'
  GROUP BY indexrelid, tab.relname`

const onPostgres: Record<string, string> = {
  ...shared,
  'attention (entry)': 'the number of an entry',
  'account_total (one)': single,
  'day_bytes (account)': ofAccount,
  'device (key)': 'names its account, which alone certifies it, beside the key',
  // Each partition of it has a unique hash of its payloads, as on SQLite.
  'entry (id)': numbered,
  'incarnation (one)': single,
  'invite (hash)': 'a code that the operator has made',
  'invite_use (hash)': 'a code that the operator has made',
  'key_package (account, hash)': ofAccount,
  'log_end (chat_group, seq)': ofGroup,
  'mailbox (account, pos)': ofAccount,
  'member (chat_group, account, since)': ofGroup,
  'outbox (id)': numbered,
  'progress (account)': ofAccount,
  'schema_version (one)': single,
}

test.skipIf(!findPostgres())(
  `[RELAY-1.47] every unique key on PostgreSQL has a reason (${POSTGRES_MISSING})`,
  async () => {
    const url = await preparedDatabase()
    try {
      expect((await askDatabase(url, keysOnPostgres)).toSorted()).toEqual(Object.keys(onPostgres).toSorted())
    } finally {
      await forgetDatabase(url)
    }
  },
)
