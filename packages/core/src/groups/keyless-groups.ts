// Groups whose keys were lost with an earlier database: known by their ids, so that their chats can heal.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

export type KeylessGroup = { id: GroupId; chat: ChatId; generation: number; inviter: AccountId; endedMs: number }

/** In epoch 0, so that any welcome that leads back into it is newer. */
export function insertKeyless(database: Database, { id, chat, generation, inviter, endedMs }: KeylessGroup): void {
  database.run(
    `INSERT INTO mls_group (id, chat_id, generation, epoch, needs_hello, inviter, status, ended_ms)
     VALUES (?, ?, ?, 0, 1, ?, 'broken', ?)`,
    id,
    chat,
    generation,
    inviter,
    endedMs,
  )
}

export const hasKeys = (reads: Pick<Store, 'get'>, group: GroupId): boolean =>
  reads.get('SELECT 1 FROM mls_state WHERE group_id = ?', group) !== undefined
