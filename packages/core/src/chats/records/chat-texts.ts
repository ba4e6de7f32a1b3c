// The list of all chats as the API returns it, kept as text.
// Only what has changed since the last request is rendered again.
import type { Chat } from '@postern/bot-api/objects'
import { type ChatId, clientLimits } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { type ShownChat, shownChat, viewChats, visibleChats } from './chats.ts'

/**
 * The texts are in a temporary table, and triggers of SQLite empty those that a change concerns, so that no writer can
 * forget to. Both follow the transactions around them: a rollback also applies here.
 */
export class ChatTexts {
  readonly #store: Store
  #timesAsked = 0
  #isTooLong = false

  constructor(store: Store) {
    this.#store = store
  }

  /** The JSON of all chats in UTF-8, in the order in which they were first seen. */
  all(): Uint8Array {
    this.#timesAsked += 1
    // Many callers ask once, at their start: nothing is kept for them, and their messages do not pay for it.
    if (this.#timesAsked === 1 || this.#isTooLong) return madeAnew(this.#store)
    return this.#store.inMemory(database => this.#kept(database))
  }

  /**
   * A list that has become too long is not kept until the next start: reading it takes longer, but it uses no memory.
   */
  #kept(database: Database): Uint8Array {
    // Checked each time: a rollback also undoes the beginning.
    if (isKeeping(database)) makeEmpty(database)
    else wholly(database, () => beginKeeping(database))
    const text = joined(database)
    this.#isTooLong = text.length > clientLimits.chatTextsBytesMax
    if (this.#isTooLong) wholly(database, () => endKeeping(database))
    return text
  }
}

const madeAnew = (store: Store): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(viewChats(store, visibleChats(store))))

const isKeeping = (database: Database): boolean =>
  database.get("SELECT 1 FROM sqlite_temp_schema WHERE name = 'chat_text'") !== undefined

/** Runs within the surrounding transaction, if there is one. */
function wholly(database: Database, work: () => void): void {
  database.exec('SAVEPOINT chat_texts')
  try {
    work()
  } catch (error) {
    database.exec('ROLLBACK TO chat_texts')
    throw error
  } finally {
    database.exec('RELEASE chat_texts')
  }
}

/** From here on, every chat that is shown has a row, without a text until it is rendered. */
function beginKeeping(database: Database): void {
  database.exec(`
    CREATE TEMP TABLE chat_text (ts INTEGER NOT NULL, id TEXT NOT NULL, json TEXT, PRIMARY KEY (ts, id)) STRICT, WITHOUT ROWID;
    CREATE INDEX temp.chat_text_id ON chat_text (id);
    ${triggers(database).join(';')}`)
  make(database, viewChats(database, visibleChats(database)))
}

function endKeeping(database: Database): void {
  const kept = database.all<{ name: string }>(
    "SELECT name FROM sqlite_temp_schema WHERE type = 'trigger' AND name LIKE 'chat_text_%'",
  )
  for (const { name } of kept) database.exec(`DROP TRIGGER temp.${name}`)
  database.exec('DROP TABLE temp.chat_text')
}

/** Use `=` for a single chat: a list of one doubles the cost for each message. */
const emptied = (where: string): string => `UPDATE chat_text SET json = NULL WHERE ${where} AND json IS NOT NULL;`

/**
 * The columns of a table that are shown.
 * All but the unseen ones are, so that a new column is not forgotten. Keys never change.
 */
const sources: { table: string; unseen: string[]; empties: (row: 'NEW' | 'OLD') => string }[] = [
  {
    table: 'chat',
    unseen: ['group_id', 'roster_version', 'warned_ms', 'refused_generation', 'refused_ms', 'answered_ms', 'declined'],
    empties: row => emptied(`id = ${row}.id`),
  },
  {
    table: 'member',
    unseen: ['farewell', 'delivered_ts', 'read_ts'],
    empties: row => emptied(`id = ${row}.chat_id`),
  },
  {
    table: 'person',
    unseen: [
      'profile_key',
      'profile_version',
      'wanted_version',
      'floor_version',
      'by_link',
      'accepted',
      'device_key',
      'device_serial',
    ],
    // The id of a private chat is that of its person, who may have left it.
    empties: row =>
      emptied(`id = ${row}.account_id`) +
      emptied(`id IN (SELECT chat_id FROM member WHERE account_id = ${row}.account_id)`),
  },
]

/** A chat begins to be shown. It has no conflict clause: that of the surrounding statement would apply, and fail it. */
const shown = `
  INSERT INTO chat_text SELECT 0, NEW.id, NULL WHERE NOT EXISTS (SELECT 1 FROM chat_text WHERE id = NEW.id);`

const triggers = (database: Database): string[] => [
  `CREATE TEMP TRIGGER chat_text_new AFTER INSERT ON main.chat WHEN NEW.visible = 1 BEGIN ${shown} END`,
  `CREATE TEMP TRIGGER chat_text_shown AFTER UPDATE OF visible ON main.chat WHEN NEW.visible = 1 BEGIN ${shown} END`,
  ...sources.flatMap(({ table, unseen, empties }) => {
    const columns = database.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
    const seen = columns.map(({ name }) => name).filter(name => !unseen.includes(name))
    const differs = seen.map(name => `OLD.${name} IS NOT NEW.${name}`).join(' OR ')
    const trigger = (on: string, row: 'NEW' | 'OLD', when = '') =>
      `CREATE TEMP TRIGGER chat_text_${table}_${on.toLowerCase()} AFTER ${on} ON main.${table} ${when} BEGIN ${empties(row)} END`
    return [trigger('INSERT', 'NEW'), trigger('DELETE', 'OLD'), trigger('UPDATE', 'NEW', `WHEN ${differs}`)]
  }),
]

function makeEmpty(database: Database): void {
  const empty = database.all<{ id: ChatId }>('SELECT id FROM temp.chat_text WHERE json IS NULL').map(({ id }) => id)
  if (empty.length === 0) return
  make(database, viewChats(database, shownAmong(database, empty)))
  // Last, so that a fault loses no row: removes hidden chats and the earlier places of others.
  database.run('DELETE FROM temp.chat_text WHERE json IS NULL')
}

function make(database: Database, chats: Chat[]): void {
  for (const chat of chats)
    database.run('INSERT OR REPLACE INTO temp.chat_text VALUES (?, ?, ?)', chat.ts, chat.id, JSON.stringify(chat))
}

/** A few chats are looked up one by one; above that, one query for all is cheaper. */
function shownAmong(database: Database, ids: ChatId[]): ShownChat[] {
  if (ids.length <= clientLimits.chatLooksMax) return ids.flatMap(id => shownChat(database, id) ?? [])
  const wanted = new Set(ids)
  return visibleChats(database).filter(({ id }) => wanted.has(id))
}

/** The inner query sorts: an ORDER BY of group_concat itself would copy every text to sort it. */
function joined(database: Database): Uint8Array {
  const row = database.get<{ text: Uint8Array }>(
    `SELECT CAST('[' || coalesce(group_concat(json, ','), '') || ']' AS BLOB) AS text
     FROM (SELECT json FROM temp.chat_text ORDER BY ts, id)`,
  )
  return row?.text ?? new Uint8Array()
}
