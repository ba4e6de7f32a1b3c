// Finds chats by the state of their group: from the few such groups to their chats, without reading every chat.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Store } from '../../storage/transactions/store.ts'
import type { ChatRow } from './chats.ts'

type Reads = Pick<Store, 'get' | 'all'>
export type ChatGroup = { chat: ChatId; group: GroupId }

const groupsOfChats = `
  SELECT chat.id AS chat, chat.group_id AS "group" FROM mls_group CROSS JOIN chat
    ON chat.id = mls_group.chat_id AND chat.group_id = mls_group.id`

/** Chats whose members do not know this account's name yet and are to receive it immediately. */
export const chatsToGreet = (reads: Reads): ChatId[] =>
  reads
    .all<ChatGroup>(
      // Uses the index of the groups to greet: the index of renewals has every open group.
      `${groupsOfChats}
       WHERE mls_group.needs_hello = 2 AND +mls_group.status = 'open' AND chat.state = 'active' AND chat.visible = 1
         AND chat.blocked = 0`,
    )
    .map(({ chat }) => chat)

/** Chats in which this account's keys have to be renewed, longest due first. */
export const chatsToRenew = (reads: Reads, { nowMs, limit }: { nowMs: number; limit: number }): ChatGroup[] =>
  reads.all<ChatGroup>(
    `${groupsOfChats}
     WHERE mls_group.status = 'open' AND mls_group.renew_at_ms <= ? AND chat.state = 'active' AND chat.visible = 1
       AND chat.blocked = 0
     ORDER BY mls_group.renew_at_ms LIMIT 0 + ?`,
    nowMs,
    limit,
  )

/** Chats whose keys are lost, and for which nobody was asked yet. */
export const brokenChats = (reads: Reads): ChatGroup[] =>
  reads.all<ChatGroup>(
    `${groupsOfChats}
     WHERE mls_group.status = 'broken' AND chat.state = 'active' AND chat.blocked = 0
       -- Of a group that somebody killed there is nothing left to be added to: it is carried on by another.
       AND (chat.type = 'private' OR NOT EXISTS (SELECT 1 FROM offender WHERE offender.group_id = chat.group_id))
       AND NOT EXISTS (SELECT 1 FROM rejoin_asked WHERE rejoin_asked.group_id = chat.group_id)`,
  )

export type DeadChat = ChatGroup & {
  endedMs: number
  hasOffender: boolean
  isRefused: boolean
  isRelayBehind: boolean
}

/**
 * Group chats whose group is of no use any more. `isRefused`: somebody has added this account again, and was not
 * believed. `isRelayBehind`: the relay has lost entries that this account has of the group.
 */
export const deadChats = (reads: Reads): DeadChat[] =>
  reads
    .all<ChatGroup & { endedMs: number; hasOffender: number; isRefused: number; isRelayBehind: number }>(
      `SELECT chat.id AS chat, chat.group_id AS "group", mls_group.ended_ms AS "endedMs",
         EXISTS (SELECT 1 FROM offender WHERE group_id = mls_group.id) AS "hasOffender",
         mls_group.relay_behind AS "isRelayBehind",
         EXISTS (SELECT 1 FROM rejoin_asked WHERE group_id = mls_group.id AND whom <> 'members') AS "isRefused"
       FROM mls_group CROSS JOIN chat ON chat.id = mls_group.chat_id AND chat.group_id = mls_group.id
       WHERE mls_group.status = 'broken' AND mls_group.ended_ms IS NOT NULL
         AND chat.type = 'group' AND chat.state = 'active'`,
    )
    .map(row => ({
      ...row,
      hasOffender: row.hasOffender === 1,
      isRefused: row.isRefused === 1,
      isRelayBehind: row.isRelayBehind === 1,
    }))

/** Requests to which that account itself has welcomed this one, without having been asked to. */
export const requestsFrom = (reads: Reads, inviter: AccountId): ChatRow[] =>
  reads.all<ChatRow>(
    `SELECT chat.* FROM chat JOIN mls_group ON mls_group.id = chat.group_id
     WHERE chat.state = 'request' AND chat.visible = 1 AND mls_group.inviter = ? AND mls_group.asked = 0
     ORDER BY chat.first_seen_ts, chat.id`,
    inviter,
  )

export type ChatPreviewKey = { group: GroupId; chat: ChatId; epoch: number; key: Uint8Array }

/** Keys of previews in chats that are shown. A request has none: a stranger's words are not shown unasked. */
export const previewKeysInUse = (reads: Reads): ChatPreviewKey[] =>
  reads.all<ChatPreviewKey>(
    `SELECT preview_key.group_id AS "group", chat.id AS chat, preview_key.epoch, preview_key.key
     FROM preview_key CROSS JOIN mls_group ON mls_group.id = preview_key.group_id
       CROSS JOIN chat ON chat.id = mls_group.chat_id
     WHERE preview_key.key IS NOT NULL AND chat.state = 'active' AND chat.visible = 1 AND chat.blocked = 0
     ORDER BY preview_key.group_id, preview_key.epoch`,
  )

/** Every group of a chat, also an earlier one that members may still write to. */
export const groupsWithChats = (reads: Reads): ChatGroup[] =>
  reads.all<ChatGroup>(
    `SELECT mls_group.chat_id AS chat, mls_group.id AS "group" FROM mls_group WHERE mls_group.chat_id IS NOT NULL
     ORDER BY mls_group.id`,
  )

/** Groups that were declined, and whose members have not received the farewell yet. */
export const groupsToLeave = (reads: Reads): ChatId[] =>
  reads
    .all<ChatGroup>(
      `SELECT chat.id AS chat, chat.group_id AS "group" FROM chat CROSS JOIN mls_group ON mls_group.id = chat.group_id
       WHERE chat.declined = 1 AND chat.type = 'group' AND chat.state = 'request' AND mls_group.status = 'open'`,
    )
    .map(({ chat }) => chat)

/** A group with working keys that is shared with the account: preferably that of the private chat. */
export const groupSharedWith = (reads: Reads, account: AccountId): GroupId | undefined =>
  reads.get<{ id: GroupId }>(
    `SELECT mls_group.id FROM member
       JOIN chat ON chat.id = member.chat_id
       JOIN mls_group ON mls_group.id = chat.group_id
     WHERE member.account_id = ? AND mls_group.status = 'open' ORDER BY chat.type = 'private' DESC LIMIT 1`,
    account,
  )?.id
