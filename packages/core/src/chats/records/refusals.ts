// Refusals in a chat: groups of a member that do more than it may, and the time of the last notice about one.
import { type ChatId, clientLimits, type GroupId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

/**
 * A member makes the next group, into which everyone may follow: now, or when enough time has passed since the last
 * such answer. Later refusals do not delay it, because a member could make one group after another.
 */
export function noteRefusal(
  database: Database,
  chat: ChatId,
  { generation, nowMs }: { generation: number; nowMs: number },
): void {
  database.run(
    `UPDATE chat SET refused_generation = ?, refused_ms = coalesce(refused_ms, max(?, answered_ms + ?)) WHERE id = ?`,
    generation,
    nowMs,
    clientLimits.answerRefusedEveryMs,
    chat,
  )
}

/**
 * Members who have followed the refused group follow no lower one, and one of the same number from an admin alone. Its
 * settings prove no maker: only an admin that has welcomed this account itself counts.
 */
const IS_ABOVE = `refused_generation < (
  SELECT generation + EXISTS (
    SELECT 1 FROM member
    WHERE chat_id = chat.id AND account_id = inviter AND coalesce(maker, inviter) = inviter AND admin = 1
  ) FROM mls_group WHERE id = chat.group_id)`

/** This account has made the next group, or has followed another member's. Called when the chat has its members. */
export function noteRefusalAnswered(database: Database, chat: ChatId, nowMs: number): void {
  database.run(
    `UPDATE chat SET refused_ms = NULL, answered_ms = ? WHERE id = ? AND refused_ms IS NOT NULL AND ${IS_ABOVE}`,
    nowMs,
    chat,
  )
}

/**
 * The attempt to answer it has failed, or has made a group that is not above it yet. If the chat got another group
 * meanwhile, that may be the answer.
 */
export function putOffRefusal(database: Database, chat: ChatId, fromMs: number): void {
  database.run(
    `UPDATE chat SET refused_ms = iif(${IS_ABOVE}, NULL, ?) WHERE id = ? AND refused_ms IS NOT NULL`,
    fromMs,
    chat,
  )
}

type RefusalToAnswer = { chat: ChatId; group: GroupId; fromMs: number }

/** Without keys, an account does not answer: it would bring back members that were removed since. */
export const refusalsToAnswer = (reads: Pick<Store, 'all'>): RefusalToAnswer[] =>
  reads.all<RefusalToAnswer>(
    `SELECT chat.id AS chat, chat.group_id AS "group", refused_ms AS "fromMs" FROM chat
       CROSS JOIN mls_group ON mls_group.id = chat.group_id
     WHERE refused_ms IS NOT NULL AND type = 'group' AND state = 'active' AND mls_group.status = 'open'`,
  )

/** Limits the notices: a flood of refused welcomes must not drown other events. */
export function noteWarned(database: Database, chat: ChatId, nowMs: number): void {
  database.run('UPDATE chat SET warned_ms = ? WHERE id = ?', nowMs, chat)
}

/** Keeps only the newest: a member can create any number of them. */
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

/** The chat for which a group was made that this client refused. */
export const chatOfRefused = (reads: Pick<Store, 'get'>, group: GroupId): ChatId | undefined =>
  reads.get<{ chat_id: ChatId }>('SELECT chat_id FROM refused_group WHERE group_id = ?', group)?.chat_id
