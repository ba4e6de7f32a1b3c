// The albums of a chat: files that one sender says it has sent together.
import type { AccountId, ChatId } from '@postern/protocol'
import type { Store } from '../storage/transactions/store.ts'

type AlbumOf = { chat: ChatId; sender: AccountId; album: string }

/** How many files of the album are here. The same id of another sender, or in another chat, is another album. */
export const filesInAlbum = (reads: Pick<Store, 'get'>, { chat, sender, album }: AlbumOf): number =>
  // As in the index, word for word: otherwise SQLite reads every message of the chat.
  reads.get<{ count: number }>(
    `SELECT count(*) AS count FROM message WHERE json_extract(body, '$.album') IS NOT NULL
     AND chat_id = ? AND sender = ? AND json_extract(body, '$.album') = ?`,
    chat,
    sender,
    album,
  )?.count ?? 0
