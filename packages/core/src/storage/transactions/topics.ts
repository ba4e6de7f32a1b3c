// The topics that a commit touches, for views. SQLite's triggers note them, so that no writer can forget to.
import type { ChatId } from '@postern/protocol'
import type { Database } from '../database.ts'

/**
 * A screen reads a topic again when it is touched. `chats`: the list of chats and the fields of each row. `waiting`:
 * the outbox of a chat, which every send changes three times; the history, which is long, changes only once.
 */
export type Topic =
  | 'me'
  | 'chats'
  | 'people'
  | 'connection'
  | 'preview-keys'
  | 'typing'
  | `${'chat' | 'waiting' | 'draft'}:${ChatId}`
  | `records:${string}`

type TopicRule = {
  table: string
  /** Names a second rule for the same table. */
  name?: string
  /** The only columns that matter. Absent: all but the unseen ones. */
  only?: string[]
  /** Columns that no view shows. All others are shown, so that a new column is not forgotten. */
  unseen?: string[]
  /** The topics of a changed row, as queries; `row` is NEW or OLD. */
  topics: (row: 'NEW' | 'OLD') => string[]
}

const ofChat = (id: string): string[] => ["SELECT 'chats'", `SELECT 'chat:' || ${id}`]

const ofMessage = (id: string): string[] => [
  "SELECT 'chats'",
  `SELECT 'chat:' || chat_id FROM message WHERE id = ${id}`,
]

/**
 * A name appears in one private chat, the account's own in all.
 * In groups it also appears where the person was a member long ago.
 */
const ofPerson = (id: string): string[] => [
  "SELECT 'people'",
  "SELECT 'chats'",
  `SELECT 'chat:' || id FROM chat
   WHERE id = ${id} OR type = 'group' OR ${id} = (SELECT account.id FROM account)`,
]

const rules: TopicRule[] = [
  { table: 'account', unseen: ['published_version'], topics: () => ["SELECT 'me'"] },
  {
    table: 'person',
    unseen: ['profile_key', 'profile_version', 'wanted_version', 'floor_version', 'device_key', 'device_serial'],
    topics: row => ofPerson(`${row}.account_id`),
  },
  { table: 'profile', topics: () => ["SELECT 'people'"] },
  {
    table: 'chat',
    unseen: ['group_id', 'roster_version', 'warned_ms', 'refused_generation', 'refused_ms', 'answered_ms'],
    topics: row => ofChat(`${row}.id`),
  },
  // The pictures of groups are read together with those of people.
  { table: 'chat_picture', topics: row => [...ofChat(`${row}.chat_id`), "SELECT 'people'"] },
  { table: 'group_link', topics: row => [`SELECT 'chat:' || ${row}.chat_id`] },
  {
    table: 'join_request',
    topics: row => [`SELECT 'chat:' || chat_id FROM group_link WHERE token = ${row}.token`],
  },
  { table: 'asked_join', topics: () => ["SELECT 'chats'"] },
  { table: 'member', unseen: ['farewell', 'previews'], topics: row => ofChat(`${row}.chat_id`) },
  { table: 'message', unseen: ['reported', 'erase_at_ms'], topics: row => ofChat(`${row}.chat_id`) },
  { table: 'notice', topics: row => ofChat(`${row}.chat_id`) },
  { table: 'reaction', topics: row => ofMessage(`${row}.message_id`) },
  { table: 'poll', topics: row => ofMessage(`${row}.message_id`) },
  { table: 'vote', topics: row => ofMessage(`${row}.message_id`) },
  { table: 'outbox', topics: row => [`SELECT 'waiting:' || ${row}.chat_id`] },
  { table: 'preview_key', topics: () => ["SELECT 'preview-keys'"] },
  // The keys are those of chats in use.
  {
    table: 'chat',
    name: 'chat_use',
    only: ['state', 'visible', 'blocked'],
    topics: () => ["SELECT 'preview-keys'"],
  },
  { table: 'record', topics: row => [`SELECT 'records:' || ${row}.shelf`] },
]

/** A rollback also undoes the beginning. */
const areNoted = (database: Database): boolean =>
  database.get("SELECT 1 FROM sqlite_temp_schema WHERE name = 'touched'") !== undefined

/** Active while the database is open. In memory: nothing of it is in the file. */
export function noteTopics(database: Database): void {
  if (areNoted(database)) return
  // Not unique: the conflict clause of a statement overrides that of its triggers, and would fail them.
  database.exec('CREATE TEMP TABLE touched (topic TEXT NOT NULL) STRICT')
  for (const rule of rules) for (const trigger of triggersOf(database, rule)) database.exec(trigger)
}

/** The topics touched since the last call. */
export function collectTopics(database: Database): Topic[] {
  const rows = database.all<{ topic: Topic }>('SELECT DISTINCT topic FROM temp.touched')
  if (rows.length > 0) database.run('DELETE FROM temp.touched')
  return rows.map(row => row.topic)
}

function triggersOf(database: Database, { table, name: rule = table, only, unseen = [], topics }: TopicRule): string[] {
  const columns = database.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
  const seen = only ?? columns.map(({ name }) => name).filter(name => !unseen.includes(name))
  const differs = seen.map(name => `OLD.${name} IS NOT NEW.${name}`).join(' OR ')
  const trigger = (on: string, row: 'NEW' | 'OLD', when = '') =>
    `CREATE TEMP TRIGGER touched_${rule}_${on.toLowerCase()} AFTER ${on} ON main.${table} ${when} BEGIN
       ${topics(row)
         .map(topic => `INSERT INTO touched ${topic};`)
         .join('\n')}
     END`
  return [trigger('INSERT', 'NEW'), trigger('DELETE', 'OLD'), trigger('UPDATE', 'NEW', `WHEN ${differs}`)]
}
