// The records of reactions: one emoji per person and message; a new one replaces the old.
import type { AccountId, MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'

export type ReactionRow = { message_id: MessageId; account_id: AccountId; emoji: string }
type ReactionRecord = { message: MessageId; by: AccountId; emoji: string; ts: number }

/** False if the same person has a later reaction. */
export function putReaction(database: Database, { message, by, emoji, ts }: ReactionRecord): boolean {
  // A withdrawn reaction stays as an empty one: an older reaction that is settled late must not replace it.
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
