// MLS groups as they are stored: the epoch's state once, then only the secrets that moved. What was used up is erased.
import {
  changedSecrets,
  encodeEpoch,
  epoch,
  type GroupSession,
  type SecretChange,
  type SecretRow,
  secretRows,
} from '@postern/mls'
import { type AccountId, type ChatId, clientLimits, type GroupId, type MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import { markOf, noteMark } from './epoch-marks.ts'

/** `broken`: its keys are lost or out of step; a new group or a new welcome replaces it. */
export type GroupStatus = 'opening' | 'open' | 'broken'

export type StoredGroup = {
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
  /** Who made it, by its settings. Null where they do not say it. */
  maker: AccountId | null
  status: GroupStatus
  /** Since when it is broken, by the clock of this machine. */
  ended_ms: number | null
  /** Whose commit broke the rules: proved by its signature. */
  offender: AccountId | null
  /** The group that it carries on. */
  continues: GroupId | null
  /** Added because this client had asked for it, of a group that it knew nothing of. */
  asked: number
  /** Broken because the relay has less of it than this client has read there. */
  relay_behind: number
}

type Reads = Pick<Store, 'get' | 'all'>

export const findGroup = (reads: Reads, group: GroupId): StoredGroup | undefined =>
  reads.get<StoredGroup>('SELECT * FROM mls_group WHERE id = ?', group)

/** Large, so it stands by itself: the group's row is looked at with every message. */
export const epochState = (reads: Reads, group: GroupId): Uint8Array =>
  reads.get<{ bytes: Uint8Array }>('SELECT bytes FROM mls_state WHERE group_id = ?', group)?.bytes ?? new Uint8Array(0)

export const storedSecrets = (reads: Reads, group: GroupId): SecretRow[] =>
  reads
    .all<{ node: number; bytes: Uint8Array }>('SELECT node, bytes FROM ratchet WHERE group_id = ?', group)
    .map(({ node, bytes }) => [node, bytes])

export type NewGroupRecord = {
  id: GroupId
  chat: ChatId
  generation: number
  session: GroupSession
  inviter: AccountId
  maker?: AccountId
  needsHello: 0 | 1 | 2
  status: GroupStatus
  renewAtMs: number
  continues?: GroupId
  asked?: boolean
}

export function insertGroup(database: Database, group: NewGroupRecord): void {
  beginEpoch(database, group.id, group.session)
  database.run(
    `INSERT OR REPLACE INTO mls_group (id, chat_id, generation, epoch, needs_hello, inviter, status, renew_at_ms,
       continues, asked, maker)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    group.id,
    group.chat,
    group.generation,
    epoch(group.session),
    group.needsHello,
    group.inviter,
    group.status,
    group.renewAtMs,
    group.continues ?? null,
    group.asked ? 1 : 0,
    group.maker ?? null,
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

/** The group is in another epoch than before. */
function beginEpoch(database: Database, group: GroupId, session: GroupSession): void {
  writeState(database, group, session)
  // What was sealed for the epoch before cannot be opened any more, so it need not be known.
  database.run('DELETE FROM taken_direct WHERE group_id = ?', group)
  noteMark(database, { group, epoch: epoch(session), mark: markOf(session) })
}

export function saveEpoch(
  database: Database,
  group: GroupId,
  { session, hasNewMembers }: { session: GroupSession; hasNewMembers: boolean },
): void {
  beginEpoch(database, group, session)
  database.run(
    // Keys that were out of step are in step again; what somebody is proved to have ended stays ended.
    `UPDATE mls_group SET epoch = ?, withdrawn = 0, needs_hello = max(needs_hello, ?),
       status = iif(offender IS NULL, 'open', status), ended_ms = iif(offender IS NULL, NULL, ended_ms),
       relay_behind = 0
     WHERE id = ?`,
    epoch(session),
    hasNewMembers ? 1 : 0,
    group,
  )
}

/** New keys of our own are in force: what a copy of this database may have used is past. */
export function noteUpdated(database: Database, group: GroupId, renewAtMs: number): void {
  database.run(
    'UPDATE mls_group SET needs_update = max(needs_update - 1, 0), renew_at_ms = ? WHERE id = ?',
    renewAtMs,
    group,
  )
}

/** A key was used up, and nobody has seen what for: too many in one epoch, and the others could not follow. */
export function noteWithdrawn(database: Database, group: GroupId, epoch: number): void {
  database.run('UPDATE mls_group SET withdrawn = withdrawn + 1 WHERE id = ? AND epoch = ?', group, epoch)
}

export const needsNewKeys = (row: Pick<StoredGroup, 'needs_update' | 'withdrawn'>): boolean =>
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

/** The time from which the turns of those who may carry it on are counted. */
export function putOffRestart(database: Database, group: GroupId, nowMs: number): void {
  database.run('UPDATE mls_group SET ended_ms = ? WHERE id = ? AND ended_ms IS NOT NULL', nowMs, group)
}

/** Many messages were encrypted under keys of one origin. */
export function wantRenewal(database: Database, group: GroupId, nowMs: number): void {
  database.run('UPDATE mls_group SET renew_at_ms = min(renew_at_ms, ?) WHERE id = ?', nowMs, group)
}

/** Its keys are of no use any more. The first reason stands: what comes after it is only its consequence. */
export function endGroup(
  database: Database,
  group: GroupId,
  { nowMs, offender, isRelayBehind = false }: { nowMs: number; offender?: AccountId; isRelayBehind?: boolean },
): void {
  database.run(
    `UPDATE mls_group SET status = 'broken', ended_ms = coalesce(ended_ms, ?), offender = coalesce(offender, ?),
       relay_behind = max(relay_behind, ?)
     WHERE id = ?`,
    nowMs,
    offender ?? null,
    isRelayBehind ? 1 : 0,
    group,
  )
}

/** Nothing of it was ever sent: it leaves no trace. */
export function deleteGroup(database: Database, group: GroupId): void {
  database.run('DELETE FROM mls_group WHERE id = ?', group)
}

/** Groups that were begun here, and whose first commit was never made: the program was killed between the two. */
export const unfinishedGroups = (reads: Reads): { group: GroupId; chat: ChatId }[] =>
  reads.all<{ group: GroupId; chat: ChatId }>(
    `SELECT id AS "group", chat_id AS chat FROM mls_group
     WHERE status = 'opening' AND NOT EXISTS (SELECT 1 FROM pending_commit WHERE group_id = mls_group.id)`,
  )

/**
 * A copy of this database may have used the same keys: each group gets new ones before the next word. A commit that waits here
 * is the copy's as well, which may have spoken with its keys: where there is one, the one after it counts.
 */
export function distrustKeys(database: Database): void {
  database.run(
    `UPDATE mls_group SET needs_update =
       CASE WHEN EXISTS (SELECT 1 FROM pending_commit WHERE group_id = mls_group.id) THEN 2 ELSE 1 END`,
  )
}

/** The same for one group. */
export function distrustKeysOf(database: Database, group: GroupId): void {
  database.run('UPDATE mls_group SET needs_update = 1 WHERE id = ?', group)
}

export const isRenewalDue = (reads: Reads, group: GroupId, nowMs: number): boolean =>
  reads.get('SELECT 1 FROM mls_group WHERE id = ? AND renew_at_ms <= ?', group, nowMs) !== undefined

/** Others have a new name to learn: with the next content in each group. */
export function wantHellos(database: Database): void {
  database.run('UPDATE mls_group SET needs_hello = 1 WHERE needs_hello = 0')
}

/** In these groups a chore says the new name at once. */
export function wantHelloNow(database: Database, groups: readonly GroupId[]): void {
  for (const group of groups) database.run('UPDATE mls_group SET needs_hello = 2 WHERE id = ?', group)
}

/** The greeting was heard by everybody who was in the group in that epoch; who has joined since has not heard it. */
export function noteGreeted(database: Database, group: GroupId, epoch: number): void {
  database.run('UPDATE mls_group SET needs_hello = 0 WHERE id = ? AND needs_hello <> 0 AND epoch = ?', group, epoch)
}

/**
 * False when the same message to this account alone was read before in this epoch. Nothing in it is used up as a text
 * uses up its key: the relay could send it again and again.
 */
export const noteDirect = (database: Database, group: GroupId, message: MessageId): boolean =>
  database.run('INSERT OR IGNORE INTO taken_direct VALUES (?, ?)', group, message).changes === 1
