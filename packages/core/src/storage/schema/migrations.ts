// The database's tables: those of the first released version, and numbered steps that are only ever appended.
import { CodedError, type Log, silentLog } from '@postern/protocol'
import type { Database } from '../database.ts'
import { chatScopedKeys } from './chat-scoped-keys.ts'
import { firstChatTables } from './first-chat-tables.ts'
import { firstMessageTables } from './first-message-tables.ts'

/** The schema number of the first release. */
const FIRST = 15

/** From the first released version on, each step leads to the next number. */
const steps: string[] = [
  // The serial of the newest certificate seen of a person, for the device in device_key.
  'ALTER TABLE person ADD COLUMN device_serial INTEGER NOT NULL DEFAULT 0',
  chatScopedKeys,
  // Every round of chores looks for these few among all chats, of which there may be ten thousand.
  `CREATE INDEX chat_declined ON chat (id) WHERE declined = 1;
   CREATE INDEX chat_refused ON chat (refused_ms) WHERE refused_ms IS NOT NULL;`,
  // A group that is dropped leaves nothing.
  // When a new welcome replaces it, SQLite does not delete its row, and everything stays.
  `CREATE TRIGGER mls_group_dropped AFTER DELETE ON mls_group BEGIN
    DELETE FROM mls_state WHERE group_id = OLD.id;
    DELETE FROM ratchet WHERE group_id = OLD.id;
    DELETE FROM pending_commit WHERE group_id = OLD.id;
    DELETE FROM rejoin WHERE group_id = OLD.id;
    DELETE FROM rejoin_asked WHERE group_id = OLD.id;
    DELETE FROM taken_direct WHERE group_id = OLD.id;
    DELETE FROM list_repair WHERE group_id = OLD.id;
    DELETE FROM epoch_mark WHERE group_id = OLD.id;
    DELETE FROM mark_told WHERE group_id = OLD.id;
    DELETE FROM mark_question WHERE group_id = OLD.id;
    DELETE FROM gap WHERE group_id = OLD.id;
    DELETE FROM log_place WHERE group_id = OLD.id;
  END`,
  // The relay was restored, and has less of the group than this client: any member may carry the chat on.
  `ALTER TABLE mls_group ADD COLUMN relay_behind INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE mls_group ADD COLUMN maker TEXT;
   -- Groups that a member has made for a chat and that this client refused: what is said there is lost to it.
   CREATE TABLE refused_group (group_id TEXT PRIMARY KEY, chat_id TEXT NOT NULL, ts INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE INDEX refused_group_chat ON refused_group (chat_id, ts);
   -- Added to the group before in the moment in which this client opened the next one: to be added there, too.
   ALTER TABLE rejoin ADD COLUMN newcomer INTEGER NOT NULL DEFAULT 0;
   -- By whose commit this client saw the member come, and the group and the epoch that it began there.
   ALTER TABLE member ADD COLUMN added_by TEXT;
   ALTER TABLE member ADD COLUMN added_group TEXT;
   ALTER TABLE member ADD COLUMN added_epoch INTEGER;`,
  // A gallery reads the newest of one kind: among 20,000 files with previews it would read all of them otherwise.
  `DROP INDEX message_file;
   CREATE INDEX message_shown ON message (chat_id, json_extract(body, '$.shownAs'), ts)
     WHERE json_extract(body, '$.kind') = 'file';
   CREATE INDEX message_link ON message (chat_id, ts)
     WHERE (instr(body, '://') > 0 OR instr(lower(body), 'www.') > 0);`,
  // Whether the owner wants the words of messages in notifications, which members want it, and what a waiting greeting
  // said about it.
  `ALTER TABLE account ADD COLUMN previews INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE member ADD COLUMN previews INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX member_previews ON member (chat_id) WHERE previews = 1;
   ALTER TABLE outbox ADD COLUMN hello_previews INTEGER NOT NULL DEFAULT 0;
   -- Without a key: it has to be derived.
   CREATE TABLE preview_key (
     group_id TEXT NOT NULL, epoch INTEGER NOT NULL, key BLOB, PRIMARY KEY (group_id, epoch)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX preview_key_due ON preview_key (group_id) WHERE key IS NULL;
   CREATE TRIGGER mls_group_previews_dropped AFTER DELETE ON mls_group BEGIN
     DELETE FROM preview_key WHERE group_id = OLD.id;
   END`,
  // The members whose commits were refused: a chat with two groups can have several before it is carried on.
  `CREATE TABLE offender (
     group_id TEXT NOT NULL, account_id TEXT NOT NULL, PRIMARY KEY (group_id, account_id)
   ) STRICT, WITHOUT ROWID;
   CREATE TRIGGER mls_group_offenders_dropped AFTER DELETE ON mls_group BEGIN
     DELETE FROM offender WHERE group_id = OLD.id;
   END;
   INSERT INTO offender SELECT id, offender FROM mls_group WHERE offender IS NOT NULL;
   ALTER TABLE mls_group DROP COLUMN offender;
   -- When a refused group was last answered.
   ALTER TABLE chat ADD COLUMN answered_ms INTEGER NOT NULL DEFAULT 0`,
  // The pictures of groups. Without a picture: it was removed.
  `CREATE TABLE chat_picture (chat_id TEXT PRIMARY KEY, picture TEXT) STRICT;
   CREATE TRIGGER chat_picture_dropped AFTER DELETE ON chat BEGIN
     DELETE FROM chat_picture WHERE chat_id = OLD.id;
   END`,
  // Links of a bot with a payload, and the people who came by each. Without uses: any number. Without a time: forever.
  `CREATE TABLE start_link (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     token TEXT NOT NULL UNIQUE,
     payload TEXT NOT NULL,
     uses INTEGER,
     used INTEGER NOT NULL DEFAULT 0,
     expires_ts INTEGER,
     ts INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX start_link_expires ON start_link (expires_ts) WHERE expires_ts IS NOT NULL;
   CREATE TABLE start_link_use (
     link INTEGER NOT NULL,
     account_id TEXT NOT NULL,
     PRIMARY KEY (link, account_id)
   ) STRICT, WITHOUT ROWID;
   CREATE TRIGGER start_link_dropped AFTER DELETE ON start_link BEGIN
     DELETE FROM start_link_use WHERE link = OLD.number;
   END`,
  // Links to groups of which this account is an admin, the requests by them, and the requests of this account to others.
  `CREATE TABLE group_link (
     token TEXT PRIMARY KEY, chat_id TEXT NOT NULL, made_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX group_link_chat ON group_link (chat_id);
   -- State: waiting, answer-due or declined.
   CREATE TABLE join_request (
     token TEXT NOT NULL, account_id TEXT NOT NULL, ts INTEGER NOT NULL, state TEXT NOT NULL,
     PRIMARY KEY (token, account_id)
   ) STRICT, WITHOUT ROWID;
   CREATE TRIGGER group_link_requests_dropped AFTER DELETE ON group_link BEGIN
     DELETE FROM join_request WHERE token = OLD.token;
   END;
   CREATE TRIGGER chat_links_dropped AFTER DELETE ON chat BEGIN
     DELETE FROM group_link WHERE chat_id = OLD.id;
   END;
   -- State: unsent, waiting or declined.
   CREATE TABLE asked_join (
     account_id TEXT NOT NULL, token TEXT NOT NULL, title TEXT NOT NULL, asked_ms INTEGER NOT NULL, state TEXT NOT NULL,
     PRIMARY KEY (account_id, token)
   ) STRICT, WITHOUT ROWID`,
  // Receipts that a named reader has asked for, under ids of the journal.
  'CREATE TABLE receipt_event (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, json TEXT NOT NULL) STRICT',
  // Accounts that a commit has removed from a group chat, and the group and the epoch that began without them. A member
  // with such a row is in again without anybody's wish.
  `CREATE TABLE removal (
     chat_id TEXT NOT NULL, account_id TEXT NOT NULL, group_id TEXT NOT NULL, epoch INTEGER NOT NULL,
     PRIMARY KEY (chat_id, account_id)
   ) STRICT, WITHOUT ROWID;
   CREATE TRIGGER chat_removals_dropped AFTER DELETE ON chat BEGIN
     DELETE FROM removal WHERE chat_id = OLD.id;
   END;
   -- How far the maker of the group had read the chat, as it says itself: a place as JSON.
   ALTER TABLE mls_group ADD COLUMN made_at TEXT`,
  // Counts the files of an album.
  `CREATE INDEX message_album ON message (chat_id, sender, json_extract(body, '$.album'))
     WHERE json_extract(body, '$.album') IS NOT NULL`,
]

/** The step to the first released version: apps in browsers may have stored the tables before it. */
const TO_FIRST = 'CREATE INDEX sent_key_made ON sent_key (made_ms)'

const NEWEST = FIRST + steps.length

/** The current schema number; 0 for a new database. Throws `database-newer` when this program does not know it. */
export function schemaOf(database: Pick<Database, 'get'>, directory: string): number {
  const version = database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
  if (version > NEWEST) throw new CodedError('database-newer', { directory })
  return version
}

type Migrating = {
  /** The steps before `TO_FIRST`, on platforms that may have tables that need them. */
  early?: readonly string[]
  log?: Log | undefined
}

/** Throws `database-too-old` and changes nothing if no step leads on from the tables. */
export function migrate(database: Database, directory: string, { early = [], log = silentLog }: Migrating = {}): void {
  const version = schemaOf(database, directory)
  if (version === NEWEST) return
  const known = [...early, TO_FIRST, ...steps]
  const oldest = NEWEST - known.length
  refuseTooOld(version, { directory, early })
  // In one transaction: if a step fails, the tables stay as they were for the program that wrote them.
  database.exec('BEGIN IMMEDIATE')
  if (version === 0) database.exec([firstChatTables, firstMessageTables, ...steps].join(';'))
  else runSteps(database, { steps: known.slice(version - oldest), from: version, log })
  database.exec(`PRAGMA user_version = ${NEWEST}; COMMIT`)
  if (version > 0) log.info({ from: version, to: NEWEST }, 'database migrated')
}

/** Throws `database-too-old` for a number that no step leads on from. */
export function refuseTooOld(
  version: number,
  { directory, early }: { directory: string; early: readonly string[] },
): void {
  if (version !== 0 && version < NEWEST - steps.length - 1 - early.length)
    throw new CodedError('database-too-old', { directory, version: 'version 0.1.0' })
}

type Running = { steps: readonly string[]; from: number; log: Log }

/** Each step can take long in a large database: the log says which one runs. */
function runSteps(database: Database, { steps: needed, from, log }: Running): void {
  for (const [at, sql] of needed.entries()) {
    log.info({ schema: from + at + 1, newest: NEWEST }, 'database migration step started')
    database.exec(sql)
  }
}
