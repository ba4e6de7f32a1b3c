// Groups on PostgreSQL, apart from their log: made, asked for, and what became of a message.
import { type AccountId, CodedError, fromBase32, type GroupId, type MessageId } from '@postern/protocol'
import type { Verdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { NewGroup } from '../relay-store.ts'
import { continuationRefusal } from '../rules/continuations.ts'
import { rowBytes } from '../rules/costs.ts'
import { groupsRefusal } from '../rules/counts.ts'
import type { AccountNumbers, NumberedAccount } from './account-numbers.ts'
import { beginContinuation, wasInGroup } from './continuation-rows.ts'
import type { Postgres } from './database.ts'
import type { DayBytesRows } from './day-bytes.ts'
import type { Queries } from './queries.ts'

type Parts = { numbers: AccountNumbers; dayBytes: DayBytesRows; limits: RelayLimits }
type GroupRow = { num: number; creator: number }
type OutcomeRow = { epoch: number; isIn: boolean; seq: number | null; ts: number; sender: number }

export class PgGroupRows {
  readonly #database: Postgres
  readonly #parts: Parts

  constructor(database: Postgres, parts: Parts) {
    this.#database = database
    this.#parts = parts
  }

  async create(id: GroupId, by: NewGroup): Promise<'created' | 'exists'> {
    const creator = await this.#parts.numbers.find(by.creator)
    if (!creator) throw new CodedError('account-not-found', { account: by.creator })
    return await this.#database.transaction(tx => this.#createIn(tx, { id, creator, by }))
  }

  /** For a member only: to anybody else a group that exists looks like one that does not. */
  async get(id: GroupId, by: AccountId): Promise<{ epoch: number; members: AccountId[] }> {
    const rows = await this.#database.rows<{ epoch: number; account: AccountId }>(
      `SELECT chat_group.epoch, account.id AS account
       FROM chat_group JOIN member ON member.chat_group = chat_group.num AND member.until IS NULL
       JOIN account ON account.num = member.account WHERE chat_group.id = $1`,
      [id],
    )
    const members = rows.map(({ account }) => account)
    const [first] = rows
    if (!first || !members.includes(by)) throw new CodedError('group-unknown')
    return { epoch: first.epoch, members }
  }

  async outcome(message: MessageId, of: { group: GroupId; by: AccountId }): Promise<Verdict> {
    const by = await this.#parts.numbers.numberOf(of.by)
    const row = await this.#database.one<OutcomeRow>(
      `SELECT g.epoch, entry.seq, entry.ts, entry.sender,
         EXISTS (SELECT 1 FROM member WHERE chat_group = g.num AND account = $3 AND until IS NULL) AS "isIn"
       FROM chat_group g LEFT JOIN entry ON entry.message = $2 WHERE g.id = $1`,
      [of.group, fromBase32(message) ?? new Uint8Array(), by],
    )
    if (!row) throw new CodedError('group-unknown')
    const { epoch, isIn, seq, ts, sender } = row
    if (seq !== null && (sender === by || isIn)) return { accepted: { message, seq, ts, duplicate: true }, epoch }
    if (!isIn) throw new CodedError('group-unknown')
    return { accepted: undefined, epoch }
  }

  async #createIn(
    tx: Queries,
    { id, creator, by }: { id: GroupId; creator: NumberedAccount; by: NewGroup },
  ): Promise<'created' | 'exists'> {
    // The account first: whoever makes two groups at once makes one after the other.
    const account = await tx.one<{ groups: number }>(
      'SELECT group_count AS groups FROM account WHERE num = $1 FOR NO KEY UPDATE',
      [creator.num],
    )
    const there = await tx.one<GroupRow>('SELECT num, creator FROM chat_group WHERE id = $1', [id])
    if (there && there.creator !== creator.num) throw new CodedError('group-exists')
    if (there) return 'exists'
    const continued =
      by.continues && (await this.#continuedGroup(tx, creator.num, { id: by.continues, nowMs: by.nowMs }))
    const refusal = groupsRefusal(this.#parts.limits, account?.groups ?? 0)
    if (refusal) throw refusal
    await this.#parts.dayBytes.charge(tx, creator, { bytes: rowBytes.group, nowMs: by.nowMs })
    const made = await tx.one<{ num: number }>(
      `INSERT INTO chat_group (id, creator, epoch, seq, last_ts) VALUES ($1, $2, 0, 0, 0)
       ON CONFLICT (id) DO NOTHING RETURNING num`,
      [id, creator.num],
    )
    // Somebody else has made it since it was looked for.
    if (!made) throw new CodedError('group-exists')
    await tx.run('INSERT INTO member (chat_group, account, since) VALUES ($1, $2, 0)', [made.num, creator.num])
    await tx.run('UPDATE account SET group_count = group_count + 1 WHERE num = $1', [creator.num])
    if (continued) await beginContinuation(tx, made.num, { creator: creator.num, continued })
    return 'created'
  }

  async #continuedGroup(
    tx: Queries,
    creator: number,
    old: { id: GroupId; nowMs: number },
  ): Promise<number | undefined> {
    const group = await tx.one<GroupRow>('SELECT num, creator FROM chat_group WHERE id = $1', [old.id])
    const sinceMs = old.nowMs - this.#parts.limits.keepPastMembersMs
    const wasIn = group && (await wasInGroup(tx, { group: group.num, accounts: [creator], sinceMs }))
    const refusal = continuationRefusal(creator, wasIn)
    if (refusal) throw refusal
    return group?.num
  }
}
