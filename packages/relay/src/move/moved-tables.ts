// The tables that are moved, with the statements of both stores. Rows use the column names of PostgreSQL.

export type MovedTable = {
  readonly name: string
  readonly fromSqlite: string
  /** Has the row's columns as named parameters. */
  readonly toSqlite: string
  readonly fromPostgres: string
  /** Columns of the PostgreSQL table with this name. */
  readonly columns: readonly string[]
}

/** For a table that is the same on both sides. `key`: the order in which its rows are read. */
function alike(name: string, key: string, columns: readonly string[]): MovedTable {
  const list = columns.join(', ')
  const read = `SELECT ${list} FROM ${name} ORDER BY ${key}`
  const values = columns.map(column => `@${column}`).join(', ')
  return {
    name,
    fromSqlite: read,
    fromPostgres: read,
    toSqlite: `INSERT INTO ${name} (${list}) VALUES (${values})`,
    columns,
  }
}

const account = alike('account', 'num', [
  ...['num', 'id', 'account_key', 'created_ms', 'serial', 'seen_day', 'banned_ms', 'deleted_ms', 'group_count'],
  ...['people_day', 'people_count', 'blob_day', 'blob_count', 'blob_bytes'],
])

/** A separate table on PostgreSQL, because these values change most often. */
const progress: MovedTable = {
  name: 'progress',
  fromSqlite: 'SELECT num AS account, cursor, mark FROM account WHERE cursor > 0 OR mark > 0 ORDER BY num',
  toSqlite: 'UPDATE account SET cursor = @cursor, mark = @mark WHERE num = @account',
  fromPostgres: 'SELECT account, cursor, mark FROM progress ORDER BY account',
  columns: ['account', 'cursor', 'mark'],
}

const dayBytes: MovedTable = {
  name: 'day_bytes',
  fromSqlite:
    'SELECT num AS account, bytes_day AS day, bytes_used AS bytes FROM account WHERE bytes_day > 0 ORDER BY num',
  toSqlite: 'UPDATE account SET bytes_day = @day, bytes_used = @bytes WHERE num = @account',
  fromPostgres: 'SELECT account, day, bytes FROM day_bytes ORDER BY account',
  columns: ['account', 'day', 'bytes'],
}

/** On PostgreSQL, the end of a group's log is in a separate table, because it changes most often. */
const chatGroup: MovedTable = {
  ...alike('chat_group', 'num', ['num', 'id', 'creator', 'epoch', 'seq', 'last_ts', 'empty_ms']),
  fromPostgres: 'SELECT num, id, creator, epoch, seq, last_ts, empty_ms FROM group_state ORDER BY num',
}

/** `since` and `until` matter only for the outbox, which is empty. */
const member: MovedTable = {
  name: 'member',
  fromSqlite: `SELECT chat_group, account, 0 AS since, CASE WHEN has_left = 1 THEN 0 END AS until, has_left
    FROM member ORDER BY chat_group, account`,
  toSqlite: 'INSERT INTO member (chat_group, account, has_left) VALUES (@chat_group, @account, @has_left)',
  fromPostgres: `SELECT chat_group, account, has_left::integer AS has_left FROM member
    WHERE until IS NULL OR has_left ORDER BY chat_group, account`,
  columns: ['chat_group', 'account', 'since', 'until', 'has_left'],
}

const continuation: MovedTable = {
  ...alike('continuation', 'creator, continued', ['creator', 'continued', 'chat_group', 'is_used']),
  fromPostgres: `SELECT creator, continued, chat_group, is_used::integer AS is_used FROM continuation
    ORDER BY creator, continued`,
}

const IN_ENTRY = 'chat_group, seq, kind, sender, ts, message, payload, added, removed'

/**
 * On SQLite an entry's id is its mailbox position;
 * on PostgreSQL it is a separate number, for which the same value can be used.
 */
const entry: MovedTable = {
  name: 'entry',
  fromSqlite: `SELECT pos AS id, ${IN_ENTRY} FROM entry ORDER BY pos`,
  toSqlite: `INSERT INTO entry (pos, ${IN_ENTRY})
    VALUES (@id, @chat_group, @seq, @kind, @sender, @ts, @message, @payload, @added, @removed)`,
  fromPostgres: `SELECT moved_place.pos AS id, ${IN_ENTRY} FROM entry JOIN moved_place ON moved_place.entry = entry.id
    ORDER BY moved_place.pos`,
  columns: ['id', ...IN_ENTRY.split(', ')],
}

/** References to expired entries are not moved: nobody sees them. */
const mailbox: MovedTable = {
  name: 'mailbox',
  fromSqlite: `SELECT account, pos, pos AS entry FROM mailbox WHERE pos >= (SELECT floor FROM retention)
    ORDER BY account, pos`,
  toSqlite: 'INSERT INTO mailbox (account, pos) VALUES (@account, @pos)',
  fromPostgres: `SELECT mailbox.account, mailbox.pos FROM mailbox JOIN moved_place ON moved_place.entry = mailbox.entry
    ORDER BY mailbox.account, mailbox.pos`,
  columns: ['account', 'pos', 'entry'],
}

/** By the entry's position on SQLite, by its id on PostgreSQL. */
const attention: MovedTable = {
  name: 'attention',
  fromSqlite: 'SELECT pos AS entry, ts, is_mention, preview FROM attention ORDER BY pos',
  toSqlite: 'INSERT INTO attention (pos, ts, is_mention, preview) VALUES (@entry, @ts, @is_mention, @preview)',
  fromPostgres: `SELECT moved_place.pos AS entry, ts, is_mention::integer AS is_mention, preview
    FROM attention JOIN moved_place ON moved_place.entry = attention.entry ORDER BY moved_place.pos`,
  columns: ['entry', 'ts', 'is_mention', 'preview'],
}

/** The key that push services know, without which all subscriptions are void. */
const pushKey: MovedTable = {
  name: 'push_key',
  fromSqlite: 'SELECT 1 AS one, private_key, public_key FROM push_key',
  toSqlite: 'INSERT INTO push_key (one, private_key, public_key) VALUES (1, @private_key, @public_key)',
  fromPostgres: 'SELECT private_key, public_key FROM push_key',
  columns: ['one', 'private_key', 'public_key'],
}

/** Referenced tables come before those that refer to them. */
const movedTables: readonly MovedTable[] = [
  account,
  progress,
  dayBytes,
  alike('invite_use', 'hash', ['hash', 'used', 'expires_ms']),
  alike('profile', 'account', ['account', 'version', 'blob']),
  alike('key_package', 'num', ['num', 'account', 'hash', 'data', 'taken_ms']),
  alike('last_resort', 'account', ['account', 'data']),
  alike('contact', 'account, peer', ['account', 'peer', 'day']),
  chatGroup,
  member,
  alike('past_member', 'chat_group, account', ['chat_group', 'account', 'until_ms']),
  continuation,
  entry,
  mailbox,
  attention,
  alike('push_subscription', 'device', [
    ...['device', 'account', 'serial', 'endpoint', 'p256dh', 'auth', 'muted', 'pushed', 'set_ms'],
  ]),
  pushKey,
  alike('blob', 'id', [
    ...['id', 'owner', 'size', 'token_hash', 'begun_ms', 'done_ms', 'lifetime_ms', 'fetches', 'fetched_by'],
  ]),
]

/**
 * Tables of multipart uploads.
 * They have the same columns on both sides; a version without them has no such uploads.
 */
const partTables: Readonly<Record<string, string>> = { blob_upload: 'blob', blob_part: 'blob, number' }

/** `columnsOf`: the columns of a table on SQLite, empty if there is no such table. */
export function allMovedTables(columnsOf: (table: string) => string[]): MovedTable[] {
  const parts = Object.entries(partTables).flatMap(([name, key]) => {
    const columns = columnsOf(name)
    return columns.length === 0 ? [] : alike(name, key, columns)
  })
  return [...movedTables, ...parts]
}

/**
 * Tables with a single row are moved separately. Others are not needed: the outbox is emptied into mailboxes first, and
 * fences end with their relays.
 */
export const tablesApart = {
  sqlite: ['retention', 'incarnation'],
  postgres: [
    'account_total',
    'head',
    'invite',
    'retention',
    'incarnation',
    'outbox',
    'log_end',
    'device',
    'schema_version',
  ],
} as const

/**
 * The mailbox position of each entry. Every entry was assigned one position, but an entry without readers is in no
 * mailbox: it gets the highest unused positions, in order. Positions have gaps, so only the last of them are searched.
 * Expired entries may still exist and are not moved.
 */
export const PLACES_ON_POSTGRES = `
  CREATE TEMP TABLE moved_place AS
  WITH kept AS (SELECT id FROM entry WHERE id >= (SELECT floor FROM retention)),
    read AS (SELECT entry, min(pos) AS pos FROM mailbox JOIN kept ON kept.id = mailbox.entry GROUP BY entry),
    unread AS (
      SELECT id, row_number() OVER (ORDER BY id DESC) AS n FROM kept LEFT JOIN read ON read.entry = id
      WHERE read.entry IS NULL),
    free AS (
      SELECT given.pos, row_number() OVER (ORDER BY given.pos DESC) AS n
      FROM generate_series(
          greatest(1, (SELECT pos FROM head) - (SELECT count(*) FROM kept)), (SELECT pos FROM head)) AS given (pos)
      LEFT JOIN read ON read.pos = given.pos WHERE read.pos IS NULL)
  SELECT entry, pos FROM read UNION ALL SELECT unread.id, free.pos FROM unread LEFT JOIN free USING (n)`
