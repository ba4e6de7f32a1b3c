// What a commit touches, for who shows it: noted by SQLite itself, so that nobody who writes can forget it.
import type { ChatId } from '@postern/protocol'
import type { Database } from '../database.ts'

/**
 * A screen reads again what it shows of a topic. `chats`: the list of chats with what stands in each row. `waiting`: what
 * stands in a chat's outbox. Every send changes that three times, and the history, which is long, only once.
 */
export type Topic = 'me' | 'chats' | 'people' | 'connection' | `${'chat' | 'waiting'}:${ChatId}` | `records:${string}`

type TopicRule = {
  table: string
  /** Columns that no view shows. Those that are not named here are shown: a new one is not forgotten. */
  unseen?: string[]
  /** The topics of a changed row, as queries; `row` is NEW or OLD. */
  topics: (row: 'NEW' | 'OLD') => string[]
}

const ofChat = (id: string): string[] => ["SELECT 'chats'", `SELECT 'chat:' || ${id}`]

const ofMessage = (id: string): string[] => [
  "SELECT 'chats'",
  `SELECT 'chat:' || chat_id FROM message WHERE id = ${id}`,
]

/** A name stands in one private chat, one's own in all; in groups also where its bearer was a member long ago. */
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
    unseen: ['group_id', 'roster_version', 'warned_ms', 'refused_generation', 'refused_ms'],
    topics: row => ofChat(`${row}.id`),
  },
  { table: 'member', unseen: ['farewell'], topics: row => ofChat(`${row}.chat_id`) },
  { table: 'message', unseen: ['reported', 'erase_at_ms'], topics: row => ofChat(`${row}.chat_id`) },
  { table: 'notice', topics: row => ofChat(`${row}.chat_id`) },
  { table: 'reaction', topics: row => ofMessage(`${row}.message_id`) },
  { table: 'poll', topics: row => ofMessage(`${row}.message_id`) },
  { table: 'vote', topics: row => ofMessage(`${row}.message_id`) },
  { table: 'outbox', topics: row => [`SELECT 'waiting:' || ${row}.chat_id`] },
  { table: 'record', topics: row => [`SELECT 'records:' || ${row}.shelf`] },
]

/** Whoever began within a transaction that was rolled back has not begun. */
const areNoted = (database: Database): boolean =>
  database.get("SELECT 1 FROM sqlite_temp_schema WHERE name = 'touched'") !== undefined

/** From here on, for as long as the database is open. In memory: the file has nothing of it. */
export function noteTopics(database: Database): void {
  if (areNoted(database)) return
  // Not unique: the conflict clause of a statement overrides that of its triggers, and would fail them.
  database.exec('CREATE TEMP TABLE touched (topic TEXT NOT NULL) STRICT')
  for (const rule of rules) for (const trigger of triggersOf(database, rule)) database.exec(trigger)
}

/** What was touched since the last call. */
export function collectTopics(database: Database): Topic[] {
  const rows = database.all<{ topic: Topic }>('SELECT DISTINCT topic FROM temp.touched')
  if (rows.length > 0) database.run('DELETE FROM temp.touched')
  return rows.map(row => row.topic)
}

function triggersOf(database: Database, { table, unseen = [], topics }: TopicRule): string[] {
  const columns = database.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
  const seen = columns.map(({ name }) => name).filter(name => !unseen.includes(name))
  const differs = seen.map(name => `OLD.${name} IS NOT NEW.${name}`).join(' OR ')
  const trigger = (on: string, row: 'NEW' | 'OLD', when = '') =>
    `CREATE TEMP TRIGGER touched_${table}_${on.toLowerCase()} AFTER ${on} ON main.${table} ${when} BEGIN
       ${topics(row)
         .map(topic => `INSERT INTO touched ${topic};`)
         .join('\n')}
     END`
  return [trigger('INSERT', 'NEW'), trigger('DELETE', 'OLD'), trigger('UPDATE', 'NEW', `WHEN ${differs}`)]
}
