// What of others was refused in a chat: groups of a member that do more than it may, and when people were last told.
import { type ChatId, clientLimits, type GroupId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

/** From `answerFromMs` on a member is to make the next group, into which everybody may follow; null: nobody is. */
export function noteRefusal(
  database: Database,
  chat: ChatId,
  { generation, answerFromMs }: { generation: number; answerFromMs: number | null },
): void {
  database.run('UPDATE chat SET refused_generation = ?, refused_ms = ? WHERE id = ?', generation, answerFromMs, chat)
}

/** It is answered, or need not be any more. */
export function forgetRefusal(database: Database, chat: ChatId): void {
  database.run('UPDATE chat SET refused_ms = NULL WHERE id = ?', chat)
}

export type RefusalToAnswer = { chat: ChatId; group: GroupId; fromMs: number }

export const refusalsToAnswer = (reads: Pick<Store, 'all'>): RefusalToAnswer[] =>
  reads.all<RefusalToAnswer>(
    `SELECT id AS chat, group_id AS "group", refused_ms AS "fromMs" FROM chat
     WHERE refused_ms IS NOT NULL AND type = 'group' AND state = 'active'`,
  )

/** A flood of refused welcomes must not drown what people are told besides. */
export function noteWarned(database: Database, chat: ChatId, nowMs: number): void {
  database.run('UPDATE chat SET warned_ms = ? WHERE id = ?', nowMs, chat)
}

/** Only the newest are kept: a member can make as many as it likes. */
export function noteRefusedIn(database: Database, chat: ChatId, { group, ts }: { group: GroupId; ts: number }): void {
  database.run('INSERT OR REPLACE INTO refused_group (group_id, chat_id, ts) VALUES (?, ?, ?)', group, chat, ts)
  database.run(
    `DELETE FROM refused_group WHERE chat_id = ? AND group_id NOT IN
       (SELECT group_id FROM refused_group WHERE chat_id = ? ORDER BY ts DESC LIMIT 0 + ?)`,
    chat,
    chat,
    clientLimits.refusedGroupsPerChatMax,
  )
}

/** The chat that a group was made for which this client refused. */
export const chatOfRefused = (reads: Pick<Store, 'get'>, group: GroupId): ChatId | undefined =>
  reads.get<{ chat_id: ChatId }>('SELECT chat_id FROM refused_group WHERE group_id = ?', group)?.chat_id
