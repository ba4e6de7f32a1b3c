// A client's database as its process left it: opened with the key next to it.
import { openDataDirectory } from '@postern/core/node'

export type StoredMessage = { id: string; chat: string; sender: string; text: string }
export type StoredClient = {
  account: string
  messages: StoredMessage[]
  titles: Map<string, string>
  outbox: number
  /** Blobs of the files in messages. */
  blobs: string[]
  uploads: number
}

/** Throws when the database fails its integrity check. Messages are in the order in which each chat shows them. */
export function readClient(directory: string): StoredClient {
  const database = openDataDirectory(directory)
  try {
    const check = database.all<{ integrity_check: string }>('PRAGMA integrity_check')
    if (check.length !== 1 || check[0]?.integrity_check !== 'ok')
      throw new Error(`${directory} is damaged: ${JSON.stringify(check)}`)
    return {
      account: database.get<{ id: string }>('SELECT id FROM account')?.id ?? '',
      messages: database.all<StoredMessage>(
        `SELECT id, chat_id AS chat, sender, json_extract(body, '$.text') AS text FROM message ORDER BY chat_id, ts`,
      ),
      titles: new Map(
        database
          .all<{ id: string; title: string }>(`SELECT id, title FROM chat WHERE type = 'group'`)
          .map(({ id, title }) => [id, title]),
      ),
      outbox: database.all('SELECT 1 FROM outbox').length,
      blobs: database
        .all<{ blob: string }>(
          `SELECT json_extract(body, '$.blob') AS blob FROM message WHERE json_extract(body, '$.kind') = 'file'`,
        )
        .map(({ blob }) => blob),
      uploads: database.all('SELECT 1 FROM upload').length,
    }
  } finally {
    database.close()
  }
}
