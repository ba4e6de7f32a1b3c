// Chats found by how the group stands in which they are: from the few such groups to their chats, and not by every chat.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Store } from '../../storage/transactions/store.ts'
import type { ChatRow } from './chats.ts'

type Reads = Pick<Store, 'get' | 'all'>
export type ChatGroup = { chat: ChatId; group: GroupId }

const groupsOfChats = `
  SELECT chat.id AS chat, chat.group_id AS "group" FROM mls_group CROSS JOIN chat
    ON chat.id = mls_group.chat_id AND chat.group_id = mls_group.id`

/** Their members do not know yet how this account is called, and are to be told at once. */
export const chatsToGreet = (reads: Reads): ChatId[] =>
  reads
    .all<ChatGroup>(
      // By the index of the groups to greet: the index of renewals has every open group.
      `${groupsOfChats}
       WHERE mls_group.needs_hello = 2 AND +mls_group.status = 'open' AND chat.state = 'active' AND chat.visible = 1
         AND chat.blocked = 0`,
    )
    .map(({ chat }) => chat)

/** Whose own keys are to be renewed, longest due first. */
export const chatsToRenew = (reads: Reads, { nowMs, limit }: { nowMs: number; limit: number }): ChatGroup[] =>
  reads.all<ChatGroup>(
    `${groupsOfChats}
     WHERE mls_group.status = 'open' AND mls_group.renew_at_ms <= ? AND chat.state = 'active' AND chat.visible = 1
       AND chat.blocked = 0
     ORDER BY mls_group.renew_at_ms LIMIT 0 + ?`,
    nowMs,
    limit,
  )

/** Whose keys are lost, and for which nobody was asked yet. */
export const brokenChats = (reads: Reads): ChatGroup[] =>
  reads.all<ChatGroup>(
    `${groupsOfChats}
     WHERE mls_group.status = 'broken' AND chat.state = 'active' AND chat.blocked = 0
       -- Of a group that somebody killed there is nothing left to be added to: it is carried on by another.
       AND (chat.type = 'private' OR mls_group.offender IS NULL)
       AND NOT EXISTS (SELECT 1 FROM rejoin_asked WHERE rejoin_asked.group_id = chat.group_id)`,
  )

export type DeadChat = ChatGroup & {
  endedMs: number
  offender: AccountId | null
  isRefused: boolean
  isRelayBehind: boolean
}

/**
 * Group chats whose group is of no use any more. `isRefused`: somebody has added this account anew, and was not believed.
 * `isRelayBehind`: the relay has lost what this account knows of the group.
 */
export const deadChats = (reads: Reads): DeadChat[] =>
  reads
    .all<Omit<DeadChat, 'isRefused' | 'isRelayBehind'> & { isRefused: number; isRelayBehind: number }>(
      `SELECT chat.id AS chat, chat.group_id AS "group", mls_group.ended_ms AS "endedMs", mls_group.offender,
         mls_group.relay_behind AS "isRelayBehind",
         EXISTS (SELECT 1 FROM rejoin_asked WHERE group_id = mls_group.id AND whom <> 'members') AS "isRefused"
       FROM mls_group CROSS JOIN chat ON chat.id = mls_group.chat_id AND chat.group_id = mls_group.id
       WHERE mls_group.status = 'broken' AND mls_group.ended_ms IS NOT NULL
         AND chat.type = 'group' AND chat.state = 'active'`,
    )
    .map(row => ({ ...row, isRefused: row.isRefused === 1, isRelayBehind: row.isRelayBehind === 1 }))

/** Requests to which that account itself has welcomed this one, and not because this one had asked for it. */
export const requestsFrom = (reads: Reads, inviter: AccountId): ChatRow[] =>
  reads.all<ChatRow>(
    `SELECT chat.* FROM chat JOIN mls_group ON mls_group.id = chat.group_id
     WHERE chat.state = 'request' AND chat.visible = 1 AND mls_group.inviter = ? AND mls_group.asked = 0
     ORDER BY chat.first_seen_ts, chat.id`,
    inviter,
  )

/** Groups that were declined, and whose members do not know it yet. */
export const groupsToLeave = (reads: Reads): ChatId[] =>
  reads
    .all<ChatGroup>(
      `SELECT chat.id AS chat, chat.group_id AS "group" FROM chat CROSS JOIN mls_group ON mls_group.id = chat.group_id
       WHERE chat.declined = 1 AND chat.type = 'group' AND chat.state = 'request' AND mls_group.status = 'open'`,
    )
    .map(({ chat }) => chat)

/** A group with good keys that is shared with the account; the private chat's, if there is one. */
export const groupSharedWith = (reads: Reads, account: AccountId): GroupId | undefined =>
  reads.get<{ id: GroupId }>(
    `SELECT mls_group.id FROM member
       JOIN chat ON chat.id = member.chat_id
       JOIN mls_group ON mls_group.id = chat.group_id
     WHERE member.account_id = ? AND mls_group.status = 'open' ORDER BY chat.type = 'private' DESC LIMIT 1`,
    account,
  )?.id
