// Groups on PostgreSQL, apart from their log: members, and the outcome of a message.
import { type AccountId, CodedError, fromBase32, type GroupId, type MessageId } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { AccountNumbers } from '../accounts/account-numbers.ts'
import type { Postgres } from '../connection/database.ts'

type OutcomeRow = { epoch: number; isIn: boolean; seq: number | null; ts: number; sender: number }

export class PgGroupRows {
  readonly #database: Postgres
  readonly #numbers: AccountNumbers

  constructor(database: Postgres, numbers: AccountNumbers) {
    this.#database = database
    this.#numbers = numbers
  }

  /** For a member only: for anyone else a group that exists looks like one that does not. */
  async get(id: GroupId, by: AccountId, signal?: AbortSignal): Promise<{ epoch: number; members: AccountId[] }> {
    const rows = await this.#database.until(signal).rows<{ epoch: number; account: AccountId }>(
      `SELECT chat_group.epoch, account.id AS account
       FROM chat_group JOIN member ON member.chat_group = chat_group.num AND member.until IS NULL
       JOIN account ON account.num = member.account WHERE chat_group.id = $1 ORDER BY member.since, member.account`,
      [id],
    )
    const members = rows.map(({ account }) => account)
    const [first] = rows
    if (!first || !members.includes(by)) throw new CodedError('group-unknown')
    return { epoch: first.epoch, members }
  }

  async outcome(
    message: MessageId,
    of: { group: GroupId; by: AccountId },
    signal?: AbortSignal,
  ): Promise<RelayVerdict> {
    const by = await this.#numbers.numberOf(of.by, signal)
    const row = await this.#database.until(signal).one<OutcomeRow>(
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
}
