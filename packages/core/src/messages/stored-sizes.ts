// The sizes of the stored messages, and the blobs that they name: for people who want to know what takes their space.
import type { BlobId, ChatId } from '@postern/protocol'
import type { Store } from '../storage/transactions/store.ts'

type Reads = Pick<Store, 'all'>

export type MessageSizes = { chat: ChatId; messages: number; bytes: number }

/** Without the messages themselves: SQLite finds the length of a body in the head of its row. */
export const messageSizes = (reads: Reads): MessageSizes[] =>
  reads.all<MessageSizes>(
    'SELECT chat_id AS chat, count(*) AS messages, sum(octet_length(body)) AS bytes FROM message GROUP BY chat_id',
  )

export type NamedBlob = { chat: ChatId; blob: BlobId; ts: number }

/** With the newest message that names it: two messages may name the same blob. */
export const namedBlobs = (reads: Reads): NamedBlob[] =>
  reads.all<NamedBlob>(
    `SELECT chat_id AS chat, json_extract(body, '$.blob') AS blob, max(ts) AS ts FROM message
     WHERE json_extract(body, '$.kind') = 'file' GROUP BY blob`,
  )
