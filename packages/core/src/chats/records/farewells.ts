// Members that have said farewell: the lists leave them out, and the next commit of another member removes them.
import type { AccountId, ChatId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

export const leaversOf = (reads: Reads, chat: ChatId): AccountId[] =>
  reads
    .all<{ account_id: AccountId }>('SELECT account_id FROM member WHERE chat_id = ? AND leaving = 1', chat)
    .map(row => row.account_id)

/** `farewell`: the proof with which any member removes it. This account needs none. */
export function noteLeaving(
  database: Database,
  chat: ChatId,
  { account, farewell }: { account: AccountId; farewell?: Uint8Array },
): void {
  database.run(
    'UPDATE member SET leaving = 1, farewell = ? WHERE chat_id = ? AND account_id = ?',
    farewell ?? null,
    chat,
    account,
  )
}

/** A proof is bound to a leaf of one group. With other keys, the member is not about to go, and everybody sees it. */
export function endFarewells(database: Database, chat: ChatId): void {
  database.run('UPDATE member SET leaving = 0, farewell = NULL WHERE chat_id = ? AND leaving = 1', chat)
}

/** The member was added again or has a new leaf, so its farewell does not count any more. */
export function noteReturn(database: Database, chat: ChatId, account: AccountId): void {
  database.run('UPDATE member SET leaving = 0, farewell = NULL WHERE chat_id = ? AND account_id = ?', chat, account)
}

export const farewellsOf = (reads: Reads, chat: ChatId): { account: AccountId; proof: Uint8Array }[] =>
  reads.all<{ account: AccountId; proof: Uint8Array }>(
    `SELECT account_id AS account, farewell AS proof FROM member
     WHERE chat_id = ? AND leaving = 1 AND farewell IS NOT NULL`,
    chat,
  )
