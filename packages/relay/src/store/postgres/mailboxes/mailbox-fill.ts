// Limits unread entries per mailbox, on PostgreSQL: a sender that has filled a mailbox waits until it is read.
import { CodedError, type GroupId, relayFixedLimits, WeightedCache } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { rowBytes } from '../../rules/costs.ts'
import { type MailboxRecipient, roomFor, soleReader, type UnreadTotals } from '../../rules/mailbox-room.ts'
import type { Queries } from '../connection/queries.ts'
import type { LockedGroup } from '../groups/locked-groups.ts'

type Sent = { bytes: number; nowMs: number }

export class PgMailboxFill {
  readonly #limits: RelayLimits
  /**
   * By sender and recipient:
   * how many bytes may pass before the mailbox is counted again, and since when it is full.
   */
  readonly #left: WeightedCache<string, number>
  readonly #full: WeightedCache<string, number>
  /**
   * Bytes sent in a group of two since its mailbox was last checked.
   * Not in the roster, which is evicted more often.
   */
  readonly #alone: WeightedCache<GroupId, number>

  constructor(limits: RelayLimits) {
    this.#limits = limits
    this.#left = new WeightedCache(limits.accountsCachedMax)
    this.#full = new WeightedCache(limits.accountsCachedMax)
    this.#alone = new WeightedCache(limits.accountsCachedMax)
  }

  /** Like `check`, for the other member of a group of two. */
  async checkChat(tx: Queries, { group, sender }: { group: LockedGroup; sender: number }, sent: Sent): Promise<void> {
    const bytes = (this.#alone.get(group.id) ?? 0) + sent.bytes + rowBytes.entry
    this.#alone.set(group.id, bytes, 1)
    if (bytes < relayFixedLimits.mailboxChatBytes && this.#full.isEmpty) return
    const to = soleReader(group.members, { sender })
    if (to) await this.check(tx, { sender, to }, { bytes, nowMs: sent.nowMs })
    this.#alone.delete(group.id)
  }

  /** Data of this size goes to one account alone. Throws `mailbox-full` if the sender has too much there. */
  async check(tx: Queries, { sender, to }: { sender: number; to: MailboxRecipient }, sent: Sent): Promise<void> {
    const pair = `${sender}>${to.num}`
    const fullAtMs = this.#full.get(pair)
    const left = (this.#left.get(pair) ?? relayFixedLimits.mailboxLookAfterBytes) - sent.bytes - rowBytes.entry
    const isDue = fullAtMs === undefined ? left <= 0 : hasPassed(fullAtMs, sent.nowMs)
    if (!isDue && fullAtMs !== undefined) throw new CodedError('mailbox-full', { account: to.id })
    const room = isDue ? await this.#roomFor(tx, sender, to.num) : left
    this.#full.delete(pair)
    this.#left.set(pair, room, 1)
    if (room > 0) return
    this.#full.set(pair, sent.nowMs, 1)
    throw new CodedError('mailbox-full', { account: to.id })
  }

  async #roomFor(tx: Queries, sender: number, account: number): Promise<number> {
    // The newest first: a sender that fills the mailbox shows up among them.
    const waiting = await tx.one<UnreadTotals>(
      `SELECT count(*) AS entries, coalesce(sum(bytes), 0)::bigint AS bytes,
         count(*) FILTER (WHERE sender = $2) AS "ownEntries",
         coalesce(sum(bytes) FILTER (WHERE sender = $2), 0)::bigint AS "ownBytes"
       FROM (SELECT octet_length(entry.payload) + ${rowBytes.entry} AS bytes, entry.sender
             FROM mailbox JOIN entry ON entry.id = mailbox.entry
             WHERE mailbox.account = $1 AND mailbox.entry >= (SELECT floor FROM retention)
               AND mailbox.pos > coalesce((SELECT cursor FROM progress WHERE progress.account = $1), 0)
             ORDER BY mailbox.pos DESC LIMIT $3) newest`,
      [account, sender, this.#limits.mailboxEntriesMax],
    )
    return waiting ? roomFor(waiting, this.#limits) : relayFixedLimits.mailboxLookAfterBytes
  }
}

/** Also if the clock was set back. */
const hasPassed = (fullAtMs: number, nowMs: number): boolean =>
  Math.abs(nowMs - fullAtMs) >= relayFixedLimits.mailboxLookAgainMs
