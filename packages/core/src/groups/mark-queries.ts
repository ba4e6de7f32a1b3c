// Which members to ask whether they were shown the same history of a group, and when they last claimed another.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

export type MarkQuery = { group: GroupId; epoch: number; account: AccountId }

/**
 * Each member is asked once: the answer for an epoch does not change.
 * `trouble`: a message of that account cannot be read.
 */
export function noteQuestion(
  database: Database,
  { group, epoch, account, trouble }: MarkQuery & { trouble: boolean },
): void {
  database.run(
    `INSERT INTO mark_question (group_id, epoch, account_id, in_trouble) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET in_trouble = max(in_trouble, excluded.in_trouble)`,
    group,
    epoch,
    account,
    trouble ? 1 : 0,
  )
}

export const openQuestions = (reads: Pick<Store, 'all'>): MarkQuery[] =>
  reads.all<MarkQuery>('SELECT group_id AS "group", epoch, account_id AS account FROM mark_question WHERE asked = 0')

export function noteAsked(database: Database, { group, epoch, account }: MarkQuery): void {
  database.run(
    'UPDATE mark_question SET asked = 1 WHERE group_id = ? AND epoch = ? AND account_id = ?',
    group,
    epoch,
    account,
  )
}

export const hasTrouble = (reads: Pick<Database, 'get'>, { group, epoch, account }: MarkQuery): boolean =>
  reads.get(
    'SELECT 1 FROM mark_question WHERE group_id = ? AND epoch = ? AND account_id = ? AND in_trouble = 1',
    group,
    epoch,
    account,
  ) !== undefined

/** In any group of the chat. */
export const hasClaimedSince = (
  reads: Pick<Database, 'get'>,
  { chat, account, sinceMs }: { chat: ChatId; account: AccountId; sinceMs: number },
): boolean =>
  reads.get(
    `SELECT 1 FROM mark_question JOIN mls_group ON mls_group.id = mark_question.group_id
     WHERE chat_id = ? AND account_id = ? AND claimed_ms > ?`,
    chat,
    account,
    sinceMs,
  ) !== undefined

export function noteClaim(database: Database, { group, epoch, account }: MarkQuery, nowMs: number): void {
  database.run(
    'UPDATE mark_question SET claimed_ms = ? WHERE group_id = ? AND epoch = ? AND account_id = ?',
    nowMs,
    group,
    epoch,
    account,
  )
}
