// The database's tables: those of the first released version, and numbered steps that are only ever added to.
import { CodedError } from '@postern/protocol'
import type { Database } from '../database.ts'
import { chatScopedKeys } from './chat-scoped-keys.ts'
import { firstChatTables } from './first-chat-tables.ts'
import { firstMessageTables } from './first-message-tables.ts'

/** What was before it was released to nobody. */
const FIRST = 15

/** From the first released version on, each to the next number. */
const steps: string[] = [
  // The serial of the newest certificate that was seen of a person, for the device in device_key.
  'ALTER TABLE person ADD COLUMN device_serial INTEGER NOT NULL DEFAULT 0',
  chatScopedKeys,
  // Every round of chores looks for these few among all chats, of which there may be ten thousand.
  `CREATE INDEX chat_declined ON chat (id) WHERE declined = 1;
   CREATE INDEX chat_refused ON chat (refused_ms) WHERE refused_ms IS NOT NULL;`,
  // A group that is dropped leaves nothing. Replaced by a new welcome, its row is not deleted for SQLite, and all stays.
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
]

const NEWEST = FIRST + steps.length

/** The version of its tables, as it stands; 0 of a new one. Throws `database-newer` when this program does not know it. */
export function schemaOf(database: Database, directory: string): number {
  const version = database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
  if (version > NEWEST) throw new CodedError('database-newer', { directory })
  if (version !== 0 && version < FIRST) throw new CodedError('database-damaged', { directory })
  return version
}

export function migrate(database: Database, directory: string): void {
  const version = schemaOf(database, directory)
  // A new database gets everything at once: one by one, its first start waits for the disk at each of them.
  if (version === 0)
    return apply(database, { sql: [firstChatTables, firstMessageTables, ...steps].join(';'), version: NEWEST })
  for (const [at, sql] of steps.entries()) if (FIRST + at >= version) apply(database, { sql, version: FIRST + at + 1 })
}

function apply(database: Database, { sql, version }: { sql: string; version: number }): void {
  database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT`)
}
