// Reactions: the records. One emoji per person and message; a new one takes the place of the old.
import type { AccountId, MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'

export type ReactionRow = { message_id: MessageId; account_id: AccountId; emoji: string }
type ReactionRecord = { message: MessageId; by: AccountId; emoji: string; ts: number }

/** False when a later one of the same person stands there. */
export function putReaction(database: Database, { message, by, emoji, ts }: ReactionRecord): boolean {
  // One that was taken back stays as an empty one: an older one that is settled late must not come out above it.
  const { changes } = database.run(
    `INSERT INTO reaction (message_id, account_id, emoji, ts) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET emoji = excluded.emoji, ts = excluded.ts WHERE excluded.ts > ts`,
    message,
    by,
    emoji,
    ts,
  )
  return changes > 0
}

export const emojiOf = (
  reads: Pick<Database, 'get'>,
  { message, by }: { message: MessageId; by: AccountId },
): string | undefined =>
  reads.get<{ emoji: string }>('SELECT emoji FROM reaction WHERE message_id = ? AND account_id = ?', message, by)?.emoji

export function reactionsTo(reads: Pick<Database, 'all'>, messages: MessageId[]): Map<MessageId, ReactionRow[]> {
  const found = reads.all<ReactionRow>(
    `SELECT message_id, account_id, emoji FROM reaction
     WHERE message_id IN (SELECT value FROM json_each(?)) AND emoji <> '' ORDER BY ts`,
    JSON.stringify(messages),
  )
  return Map.groupBy(found, reaction => reaction.message_id)
}
