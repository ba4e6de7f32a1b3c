// MLS groups as they are stored: the epoch's state once, then only the secrets that moved. What was used up is erased.
import { type AccountId, type ChatId, clientLimits, type GroupId, type MessageId } from '@postern/protocol'
import { epoch, type GroupSession } from '../mls/group-session.ts'
import { encodeEpoch } from '../mls/group-state.ts'
import { changedSecrets, type SecretChange, type SecretRow, secretRows } from '../mls/secret-rows.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/store.ts'

/** `broken`: its keys are lost or out of step; a new group or a new welcome replaces it. */
export type GroupStatus = 'opening' | 'open' | 'broken'

export type GroupRow = {
  id: GroupId
  chat_id: ChatId
  generation: number
  epoch: number
  /** Others in it do not know yet how this account is called. 1: the next content says it. 2: it is said at once. */
  needs_hello: number
  /** Its keys may have been used already, by a copy of this database. */
  needs_update: number
  /** Keys of this epoch that were used up for what is in no log. */
  withdrawn: number
  /** Who added this account to it; the account itself where it opened the group. */
  inviter: AccountId
  status: GroupStatus
}

export type PendingCommit = {
  message: MessageId
  wire: Uint8Array
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

export const findGroup = (reads: Reads, group: GroupId): GroupRow | undefined =>
  reads.get<GroupRow>('SELECT * FROM mls_group WHERE id = ?', group)

/** Large, so it stands by itself: the group's row is looked at with every message. */
export const epochState = (reads: Reads, group: GroupId): Uint8Array =>
  reads.get<{ bytes: Uint8Array }>('SELECT bytes FROM mls_state WHERE group_id = ?', group)?.bytes ?? new Uint8Array(0)

export const storedSecrets = (reads: Reads, group: GroupId): SecretRow[] =>
  reads
    .all<{ node: number; bytes: Uint8Array }>('SELECT node, bytes FROM ratchet WHERE group_id = ?', group)
    .map(({ node, bytes }) => [node, bytes])

export type NewGroup = {
  id: GroupId
  chat: ChatId
  generation: number
  session: GroupSession
  inviter: AccountId
  needsHello: 1 | 2
  status: GroupStatus
}

export function insertGroup(database: Database, group: NewGroup): void {
  writeState(database, group.id, group.session)
  database.run(
    `INSERT OR REPLACE INTO mls_group (id, chat_id, generation, epoch, needs_hello, inviter, status)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    group.id,
    group.chat,
    group.generation,
    epoch(group.session),
    group.needsHello,
    group.inviter,
    group.status,
  )
}

export function writeState(database: Database, group: GroupId, { state }: GroupSession): void {
  database.run('DELETE FROM ratchet WHERE group_id = ?', group)
  database.run('INSERT OR REPLACE INTO mls_state VALUES (?, ?)', group, encodeEpoch(state))
  saveRatchets(
    database,
    group,
    secretRows(state).map(([node, bytes]) => ({ node, bytes })),
  )
}

export function saveEpoch(
  database: Database,
  group: GroupId,
  { session, hasNewMembers }: { session: GroupSession; hasNewMembers: boolean },
): void {
  writeState(database, group, session)
  database.run(
    `UPDATE mls_group SET epoch = ?, status = 'open', withdrawn = 0, needs_hello = max(needs_hello, ?) WHERE id = ?`,
    epoch(session),
    hasNewMembers ? 1 : 0,
    group,
  )
}

/** New keys of our own are in force: what a copy of this database may have used is past. */
export function noteUpdated(database: Database, group: GroupId): void {
  database.run('UPDATE mls_group SET needs_update = 0 WHERE id = ?', group)
}

/** A key was used up, and nobody has seen what for: too many in one epoch, and the others could not follow. */
export function noteWithdrawn(database: Database, group: GroupId, epoch: number): void {
  database.run('UPDATE mls_group SET withdrawn = withdrawn + 1 WHERE id = ? AND epoch = ?', group, epoch)
}

export const needsNewKeys = (row: Pick<GroupRow, 'needs_update' | 'withdrawn'>): boolean =>
  row.needs_update !== 0 || row.withdrawn >= clientLimits.withdrawnBeforeUpdate

/** What moved between two sessions of one epoch, encoded at once so that no state is held until the write. */
export const ratchetChanges = (before: GroupSession, after: GroupSession): SecretChange[] =>
  changedSecrets(before.state, after.state)

/** With `secure_delete` SQLite overwrites what is replaced or deleted here. */
export function saveRatchets(database: Database, group: GroupId, changes: readonly SecretChange[]): void {
  for (const { node, bytes } of changes) {
    if (bytes === undefined) database.run('DELETE FROM ratchet WHERE group_id = ? AND node = ?', group, node)
    else database.run('INSERT OR REPLACE INTO ratchet (group_id, node, bytes) VALUES (?, ?, ?)', group, node, bytes)
  }
}

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

export function setGroupStatus(database: Database, group: GroupId, status: GroupStatus): void {
  database.run('UPDATE mls_group SET status = ? WHERE id = ?', status, group)
}
