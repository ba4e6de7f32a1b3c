// The records of requests that were declined, of chats that were deleted, and of chats with blocked people.
import type { AccountId, ChatId } from '@postern/protocol'
import { isBlocked } from '../../identity/trust.ts'
import type { Database } from '../../storage/database.ts'
import { forgetPicture } from './chat-pictures.ts'
import { type ChatRow, findChat } from './chats.ts'
import { deleteLinksOf } from './group-links.ts'

/**
 * Hides a chat that its owner has declined or deleted, until the next message. Its keys stay: without them nothing of
 * its person could ever be received again.
 */
export function hideChat(database: Database, chat: ChatId): void {
  database.run('UPDATE chat SET visible = 0, declined = 1, unread = 0 WHERE id = ?', chat)
  forgetPicture(database, chat)
  deleteLinksOf(database, chat)
}

/** A group that its owner has deleted is left like one that was declined: nothing is sent in it but the farewell. */
export function hideGroup(database: Database, chat: ChatId): void {
  database.run("UPDATE chat SET state = 'request' WHERE id = ? AND state = 'active'", chat)
  hideChat(database, chat)
}

/** Removes a request of which only the speaker is known. The next message creates it again. */
export function forgetChat(database: Database, chat: ChatId): void {
  database.run('DELETE FROM chat WHERE id = ?', chat)
  database.run('DELETE FROM member WHERE chat_id = ?', chat)
}

/** A group to which somebody has just added this account: declined immediately if the inviter is blocked. */
export function judgeInviter(database: Database, { chat, inviter }: { chat: ChatId; inviter: AccountId }): void {
  const isDeclined = findChat(database, chat)?.type === 'group' && isBlocked(database, inviter)
  database.run('UPDATE chat SET declined = ? WHERE id = ?', isDeclined ? 1 : 0, chat)
}

/** Groups that wait for the owner's decision because that account has added this one to them, shown or not. */
export const invitationsFrom = (reads: Pick<Database, 'all'>, inviter: AccountId): ChatRow[] =>
  reads.all<ChatRow>(
    `SELECT chat.* FROM chat JOIN mls_group ON mls_group.id = chat.group_id
     WHERE chat.type = 'group' AND chat.state = 'request' AND mls_group.inviter = ? AND mls_group.asked = 0`,
    inviter,
  )

export function setChatBlocked(database: Database, chat: ChatId, blocked: 0 | 1): void {
  database.run('UPDATE chat SET blocked = ? WHERE id = ?', blocked, chat)
}
