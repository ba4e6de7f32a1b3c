// The pictures of groups, as their settings carry them. Apart from the chats, whose rows are read with every message.
import type { ChatId } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

/** A data: URL. Null once it was removed, undefined if nothing is known of one. */
export const knownPicture = (reads: Reads, chat: ChatId): string | null | undefined =>
  reads.get<{ picture: string | null }>('SELECT picture FROM chat_picture WHERE chat_id = ?', chat)?.picture

/** The settings of a client that does not know pictures leave the picture as it is. */
export function notePicture(database: Database, chat: ChatId, settings: GroupSettings): void {
  if (settings.type !== 'group' || settings.picture === undefined) return
  database.run(
    `INSERT INTO chat_picture (chat_id, picture) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET picture = excluded.picture WHERE picture IS NOT excluded.picture`,
    chat,
    settings.picture,
  )
}

export function forgetPicture(database: Database, chat: ChatId): void {
  database.run('DELETE FROM chat_picture WHERE chat_id = ?', chat)
}

/** Only chats that are shown have one, and no request: nothing of a stranger's is decoded before it is accepted. */
export const shownPictures = (reads: Reads): { chat: ChatId; picture: string }[] =>
  reads.all<{ chat: ChatId; picture: string }>(
    `SELECT chat_id AS chat, picture FROM chat_picture CROSS JOIN chat ON chat.id = chat_picture.chat_id
     WHERE picture IS NOT NULL AND chat.visible = 1 AND chat.state <> 'request'`,
  )
