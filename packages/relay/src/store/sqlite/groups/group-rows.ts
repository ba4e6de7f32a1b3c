// Groups and their members. A group in use is cached, and its counters are written once per transaction.
import { type AccountId, CodedError, type GroupId, WeightedCache } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { groupsRefusal } from '../../rules/counts.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Sqlite } from '../database.ts'
import type { ContinuationRows } from './continuation-rows.ts'

export type HeldGroup = {
  readonly num: number
  readonly id: GroupId
  readonly creator: number
  epoch: number
  seq: number
  lastTs: number
  readonly members: Map<number, AccountId>
  /** Members that ended their delivery and are not removed by a commit yet. */
  readonly left: Set<number>
  /** Senders that every member is known to have received, so that their next message notes no contact. */
  readonly heardByAll: Set<number>
  readonly heardByOne: Set<string>
  /** The day from 1970 to which the two sets above belong. */
  heardDay: number
  /** Bytes sent in a group of two since its mailbox was last checked. */
  aloneBytes: number
}

type GroupRow = { num: number; creator: number; epoch: number; seq: number; lastTs: number }
type MemberRow = { account: number; id: AccountId; hasLeft: number }

export class GroupRows {
  readonly #accounts: AccountRows
  readonly #continuations: ContinuationRows
  readonly #limits: RelayLimits
  readonly #held: WeightedCache<GroupId, HeldGroup>
  readonly #changed = new Map<GroupId, HeldGroup>()
  readonly #sql

  constructor(db: Sqlite, parts: { accounts: AccountRows; continuations: ContinuationRows; limits: RelayLimits }) {
    this.#accounts = parts.accounts
    this.#continuations = parts.continuations
    this.#limits = parts.limits
    this.#held = new WeightedCache(parts.limits.groupMembersCachedMax)
    this.#sql = {
      group: db.prepare<[string], GroupRow>(
        'SELECT num, creator, epoch, seq, last_ts AS lastTs FROM chat_group WHERE id = ?',
      ),
      members: db.prepare<[number], MemberRow>(
        `SELECT member.account, account.id, member.has_left AS hasLeft
         FROM member JOIN account ON account.num = member.account WHERE member.chat_group = ?`,
      ),
      insert: db.prepare('INSERT INTO chat_group (id, creator, epoch, seq, last_ts) VALUES (?, ?, 0, 0, 0)'),
      update: db.prepare('UPDATE chat_group SET epoch = ?, seq = ?, last_ts = ? WHERE num = ?'),
      join: db.prepare(
        `INSERT INTO member (chat_group, account) VALUES (?, ?)
         ON CONFLICT (chat_group, account) DO UPDATE SET has_left = 0`,
      ),
      leave: db.prepare('UPDATE member SET has_left = 1 WHERE chat_group = ? AND account = ?'),
      remove: db.prepare('DELETE FROM member WHERE chat_group = ? AND account = ?'),
      empty: db.prepare('UPDATE chat_group SET empty_ms = ? WHERE num = ?'),
      expired: db.prepare<[number, number], { num: number; id: GroupId }>(
        'SELECT num, id FROM chat_group WHERE empty_ms IS NOT NULL AND empty_ms < ? ORDER BY empty_ms LIMIT 0 + ?',
      ),
      count: db.prepare<[], number>('SELECT count(*) FROM chat_group').pluck(),
      deleteMembers: db.prepare('DELETE FROM member WHERE chat_group = ?'),
      delete: db.prepare('DELETE FROM chat_group WHERE num = ?'),
    }
  }

  count(): number {
    return this.#sql.count.get() ?? 0
  }

  find(id: GroupId): HeldGroup | undefined {
    // A group that was changed and evicted within this transaction is newer than its row.
    const held = this.#held.get(id) ?? this.#changed.get(id)
    if (held) return held
    const row = this.#sql.group.get(id)
    if (!row) return undefined
    const rows = this.#sql.members.all(row.num)
    const group: HeldGroup = {
      ...row,
      id,
      members: new Map(rows.filter(member => !member.hasLeft).map(member => [member.account, member.id])),
      left: new Set(rows.filter(member => member.hasLeft).map(member => member.account)),
      heardByAll: new Set(),
      heardByOne: new Set(),
      heardDay: 0,
      aloneBytes: 0,
    }
    this.#held.set(id, group, 1 + rows.length)
    return group
  }

  /** For a member only: for anyone else a group that exists looks like one that does not. */
  ofMember(id: GroupId, account: AccountId): HeldGroup {
    const group = this.find(id)
    const number = this.#accounts.find(account)
    if (!group || number === undefined || !group.members.has(number)) throw new CodedError('group-unknown')
    return group
  }

  checkRoom(creator: number): void {
    const refusal = groupsRefusal(this.#limits, this.#accounts.groupCount(creator))
    if (refusal) throw refusal
  }

  create(id: GroupId, creator: number): number {
    const num = Number(this.#sql.insert.run(id, creator).lastInsertRowid)
    this.#sql.join.run(num, creator)
    this.#accounts.countGroup(creator, 1)
    return num
  }

  /** The epoch, sequence number or time has changed in memory. */
  touch(group: HeldGroup): void {
    this.#changed.set(group.id, group)
  }

  /** A new member receives the senders for the first time. */
  membersChanged(group: HeldGroup): void {
    group.heardByAll.clear()
    group.heardByOne.clear()
    this.#held.set(group.id, group, 1 + group.members.size)
    this.touch(group)
  }

  add(group: HeldGroup, account: { num: number; id: AccountId }): void {
    this.#sql.join.run(group.num, account.num)
    this.#accounts.countGroup(account.num, 1)
    group.members.set(account.num, account.id)
    group.left.delete(account.num)
  }

  remove(group: HeldGroup, account: number, nowMs: number): void {
    if (group.members.delete(account)) {
      this.#accounts.countGroup(account, -1)
      this.#continuations.noteGone(group.num, account, nowMs)
    }
    group.left.delete(account)
    this.#sql.remove.run(group.num, account)
  }

  leave(group: HeldGroup, account: number, nowMs: number): void {
    this.#sql.leave.run(group.num, account)
    this.#accounts.countGroup(account, -1)
    this.#continuations.noteGone(group.num, account, nowMs)
    group.members.delete(account)
    group.left.add(account)
    if (group.members.size === 0) this.#sql.empty.run(nowMs, group.num)
  }

  writeChanged(): void {
    for (const group of this.#changed.values()) this.#sql.update.run(group.epoch, group.seq, group.lastTs, group.num)
    this.#changed.clear()
  }

  /** Values in memory may come from a transaction that was rolled back. */
  forget(): void {
    this.#changed.clear()
    this.#held.clear()
  }

  /** Removes empty groups once all their entries have expired. */
  expire(beforeMs: number, countMax: number): number {
    const expired = this.#sql.expired.all(beforeMs, countMax)
    for (const { num, id } of expired) {
      this.#sql.deleteMembers.run(num)
      this.#sql.delete.run(num)
      this.#continuations.forgetGroup(num)
      this.#held.delete(id)
    }
    return expired.length
  }
}
