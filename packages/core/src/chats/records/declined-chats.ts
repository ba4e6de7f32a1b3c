// Requests that were declined, and chats with people who are blocked: the records.
import type { AccountId, ChatId } from '@postern/protocol'
import { isBlocked } from '../../identity/trust.ts'
import type { Database } from '../../storage/database.ts'
import { type ChatRow, findChat } from './chats.ts'

/** Nobody is shown it any more. Its keys stay: without them its person could never be heard again. */
export function noteDeclined(database: Database, chat: ChatId): void {
  database.run('UPDATE chat SET visible = 0, declined = 1, unread = 0 WHERE id = ?', chat)
}

/** A request of which nothing is known but who speaks there: the next word makes it anew. */
export function forgetChat(database: Database, chat: ChatId): void {
  database.run('DELETE FROM chat WHERE id = ?', chat)
  database.run('DELETE FROM member WHERE chat_id = ?', chat)
}

/** A group to which somebody has just added this account: declined at once where that one is blocked. */
export function judgeInviter(database: Database, { chat, inviter }: { chat: ChatId; inviter: AccountId }): void {
  const isDeclined = findChat(database, chat)?.type === 'group' && isBlocked(database, inviter)
  database.run('UPDATE chat SET declined = ? WHERE id = ?', isDeclined ? 1 : 0, chat)
}

/** Groups that wait for the owner's word because that account has added this one to them, shown or not. */
export const invitationsFrom = (reads: Pick<Database, 'all'>, inviter: AccountId): ChatRow[] =>
  reads.all<ChatRow>(
    `SELECT chat.* FROM chat JOIN mls_group ON mls_group.id = chat.group_id
     WHERE chat.type = 'group' AND chat.state = 'request' AND mls_group.inviter = ? AND mls_group.asked = 0`,
    inviter,
  )

export function setChatBlocked(database: Database, chat: ChatId, blocked: 0 | 1): void {
  database.run('UPDATE chat SET blocked = ? WHERE id = ?', blocked, chat)
}
