// The stored MLS groups: the epoch's state once, then only the secrets that changed. Used secrets are erased.
import {
  changedSecrets,
  encodeEpoch,
  epoch,
  type GroupSession,
  memberAccounts,
  type SecretChange,
  type SecretRow,
  secretRows,
} from '@postern/mls'
import { type AccountId, type ChatId, clientLimits, type GroupId, type MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import { markOf, noteMark } from './epoch-marks.ts'
import { greetingTo } from './greetings.ts'
import { beginPreviewEpoch, dropPreviewKeys } from './preview-keys.ts'

/** `broken`: its keys are lost or out of step. A new group or a new welcome replaces it. */
export type GroupStatus = 'opening' | 'open' | 'broken'

export type StoredGroup = {
  id: GroupId
  chat_id: ChatId
  generation: number
  epoch: number
  /**
   * Other members do not know this account's name yet. 1: the next content carries it. 2: a chore sends it immediately.
   */
  needs_hello: number
  /** Its keys may have been used already, by a copy of this database. */
  needs_update: number
  /** The number of keys of this epoch that were used for messages and commits that are in no log. */
  withdrawn: number
  /** The account that added this one; this account itself if it opened the group. */
  inviter: AccountId
  /** The maker according to the settings. Null if they do not name it. */
  maker: AccountId | null
  status: GroupStatus
  /** How far its maker had read the chat, as the settings say: a place as JSON. Null if they do not say it. */
  made_at: string | null
  /** When it broke, in elapsed time. */
  ended_ms: number | null
  /** The account whose commit broke the rules, proved by its signature. */
  /** The group that it carries on. */
  continues: GroupId | null
  /** This client had asked to be added, without knowing the group. */
  asked: number
  /** Broken because the relay has less of it than this client has read. */
  relay_behind: number
}

type Reads = Pick<Store, 'get' | 'all'>

export const findGroup = (reads: Reads, group: GroupId): StoredGroup | undefined =>
  reads.get<StoredGroup>('SELECT * FROM mls_group WHERE id = ?', group)

/** Large, so it has its own table: every message reads the group's row. */
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
  madeAt?: string | undefined
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
       continues, asked, maker, made_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    group.madeAt ?? null,
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

/** The group has moved to another epoch. */
function beginEpoch(database: Database, group: GroupId, session: GroupSession): void {
  writeState(database, group, session)
  // Direct messages of the previous epoch cannot be opened any more, so they need not be remembered.
  database.run('DELETE FROM taken_direct WHERE group_id = ?', group)
  noteMark(database, { group, epoch: epoch(session), mark: markOf(session) })
  beginPreviewEpoch(database, group, epoch(session))
}

const HAS_OFFENDER = 'EXISTS (SELECT 1 FROM offender WHERE offender.group_id = mls_group.id)'

/** The members who are proved to have ended the group, by commits that were refused. */
export const offendersOf = (reads: Reads, group: GroupId): AccountId[] =>
  reads
    .all<{ account_id: AccountId }>('SELECT account_id FROM offender WHERE group_id = ? ORDER BY account_id', group)
    .map(row => row.account_id)

/** The members who are proved to have ended any of the chat's groups, as far as this client keeps them. */
export const offendersIn = (reads: Reads, chat: ChatId): AccountId[] =>
  reads
    .all<{ account_id: AccountId }>(
      `SELECT DISTINCT account_id FROM offender CROSS JOIN mls_group ON mls_group.id = offender.group_id
       WHERE mls_group.chat_id = ? ORDER BY account_id`,
      chat,
    )
    .map(row => row.account_id)

export function saveEpoch(
  database: Database,
  group: GroupId,
  { session, hasNewMembers }: { session: GroupSession; hasNewMembers: boolean },
): void {
  beginEpoch(database, group, session)
  database.run(
    // Keys that were out of step are in step again. A group that a proven offender ended stays ended.
    `UPDATE mls_group SET epoch = ?, withdrawn = 0, needs_hello = max(needs_hello, ?),
       status = iif(${HAS_OFFENDER}, status, 'open'), ended_ms = iif(${HAS_OFFENDER}, ended_ms, NULL),
       relay_behind = 0
     WHERE id = ?`,
    epoch(session),
    hasNewMembers ? greetingTo(database, memberAccounts(session).length) : 0,
    group,
  )
}

/** New keys of this account are in force: those that a copy of this database may have used are past. */
export function noteUpdated(database: Database, group: GroupId, renewAtMs: number): void {
  database.run(
    'UPDATE mls_group SET needs_update = max(needs_update - 1, 0), renew_at_ms = ? WHERE id = ?',
    renewAtMs,
    group,
  )
}

/** A key was used for something that is in no log. With too many in one epoch, the others could not follow. */
export function noteWithdrawn(database: Database, group: GroupId, epoch: number): void {
  database.run('UPDATE mls_group SET withdrawn = withdrawn + 1 WHERE id = ? AND epoch = ?', group, epoch)
}

export const needsNewKeys = (row: Pick<StoredGroup, 'needs_update' | 'withdrawn'>): boolean =>
  row.needs_update !== 0 || row.withdrawn >= clientLimits.withdrawnBeforeUpdate

/**
 * The secrets that changed between two sessions of one epoch,
 * encoded immediately so that no state is held until the write.
 */
export const ratchetChanges = (before: GroupSession, after: GroupSession): SecretChange[] =>
  changedSecrets(before.state, after.state)

/** With `secure_delete`, SQLite overwrites what is replaced or deleted here. */
export function saveRatchets(database: Database, group: GroupId, changes: readonly SecretChange[]): void {
  for (const { node, bytes } of changes) {
    if (bytes === undefined) database.run('DELETE FROM ratchet WHERE group_id = ? AND node = ?', group, node)
    else database.run('INSERT OR REPLACE INTO ratchet (group_id, node, bytes) VALUES (?, ?, ?)', group, node, bytes)
  }
}

/** Sets the time from which the turns of the members that may carry it on are counted. */
export function putOffRestart(database: Database, group: GroupId, nowMs: number): void {
  database.run('UPDATE mls_group SET ended_ms = ? WHERE id = ? AND ended_ms IS NOT NULL', nowMs, group)
}

/** Many messages were encrypted under keys of one origin. */
export function wantRenewal(database: Database, group: GroupId, nowMs: number): void {
  database.run('UPDATE mls_group SET renew_at_ms = min(renew_at_ms, ?) WHERE id = ?', nowMs, group)
}

/** Its keys are of no use any more. All offenders are kept, because all of them are out of the next group. */
export function endGroup(
  database: Database,
  group: GroupId,
  { nowMs, offender, isRelayBehind = false }: { nowMs: number; offender?: AccountId; isRelayBehind?: boolean },
): void {
  database.run(
    `UPDATE mls_group SET status = 'broken', ended_ms = coalesce(ended_ms, ?), relay_behind = max(relay_behind, ?)
     WHERE id = ?`,
    nowMs,
    isRelayBehind ? 1 : 0,
    group,
  )
  if (offender) database.run('INSERT OR IGNORE INTO offender VALUES (?, ?)', group, offender)
  dropPreviewKeys(database, group)
}

/** Nobody can add this account again: the others have been waited for long enough. */
export function waitNoLonger(database: Database, group: GroupId, nowMs: number): void {
  database.run(`UPDATE mls_group SET ended_ms = min(ended_ms, ?) WHERE id = ? AND status = 'broken'`, nowMs, group)
}

/** Nothing of it was ever sent: it leaves no trace. */
export function deleteGroup(database: Database, group: GroupId): void {
  database.run('DELETE FROM mls_group WHERE id = ?', group)
}

/** Groups that were begun here and whose first commit was never made: the program was killed in between. */
export const unfinishedGroups = (reads: Reads): { group: GroupId; chat: ChatId }[] =>
  reads.all<{ group: GroupId; chat: ChatId }>(
    `SELECT id AS "group", chat_id AS chat FROM mls_group
     WHERE status = 'opening' AND NOT EXISTS (SELECT 1 FROM pending_commit WHERE group_id = mls_group.id)`,
  )

/**
 * A copy of this database may have used the same keys: each group gets new ones before the next message. A pending
 * commit belongs to the copy as well, which may have used its keys: in that case the commit after it counts.
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

/** Others do not know the new name yet: the next content in each group carries it. */
export function wantHellos(database: Database): void {
  database.run('UPDATE mls_group SET needs_hello = 1 WHERE needs_hello = 0')
}

/** A chore sends the new name to these groups immediately. */
export function wantHelloNow(database: Database, groups: readonly GroupId[]): void {
  for (const group of groups) database.run('UPDATE mls_group SET needs_hello = 2 WHERE id = ?', group)
}

/** The greeting reached everyone in the group in that epoch, but not members who have joined since. */
export function noteGreeted(database: Database, group: GroupId, epoch: number): void {
  database.run('UPDATE mls_group SET needs_hello = 0 WHERE id = ? AND needs_hello <> 0 AND epoch = ?', group, epoch)
}

/**
 * False when the same direct message was read before in this epoch.
 * Unlike a text, it uses up no key, so the relay could replay it.
 */
export const noteDirect = (database: Database, group: GroupId, message: MessageId): boolean =>
  database.run('INSERT OR IGNORE INTO taken_direct VALUES (?, ?)', group, message).changes === 1
