// Our commits that wait for the relay's answer, or for their place in the log: one per group.
import type { AccountId, GroupId, MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

export type PendingCommit = {
  message: MessageId
  wire: Uint8Array
  /** The accounts that the relay adds and removes. */
  add: AccountId[]
  remove: AccountId[]
  welcome: Uint8Array | undefined
}

type PendingRow = {
  group_id: GroupId
  message_id: MessageId
  wire: Uint8Array
  next_state: Uint8Array
  add_accounts: string
  remove_accounts: string
  welcome: Uint8Array | null
}

type Reads = Pick<Store, 'get' | 'all'>

export function findPending(reads: Reads, group: GroupId): (PendingCommit & { nextState: Uint8Array }) | undefined {
  const row = reads.get<PendingRow>('SELECT * FROM pending_commit WHERE group_id = ?', group)
  return (
    row && {
      message: row.message_id,
      wire: row.wire,
      nextState: row.next_state,
      add: JSON.parse(row.add_accounts) as AccountId[],
      remove: JSON.parse(row.remove_accounts) as AccountId[],
      welcome: row.welcome ?? undefined,
    }
  )
}

export const groupsWithPending = (reads: Reads): GroupId[] =>
  reads.all<{ group_id: GroupId }>('SELECT group_id FROM pending_commit').map(row => row.group_id)

export function insertPending(
  database: Database,
  group: GroupId,
  pending: PendingCommit & { nextState: Uint8Array },
): void {
  database.run(
    `INSERT INTO pending_commit (group_id, message_id, wire, next_state, add_accounts, remove_accounts, welcome)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    group,
    pending.message,
    pending.wire,
    pending.nextState,
    JSON.stringify(pending.add),
    JSON.stringify(pending.remove),
    pending.welcome ?? null,
  )
}

export function replaceNextState(database: Database, group: GroupId, nextState: Uint8Array): void {
  database.run('UPDATE pending_commit SET next_state = ? WHERE group_id = ?', nextState, group)
}

export function deletePending(database: Database, group: GroupId): void {
  database.run('DELETE FROM pending_commit WHERE group_id = ?', group)
}
