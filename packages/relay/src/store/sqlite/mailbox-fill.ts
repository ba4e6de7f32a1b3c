// What waits unread for one account: a sender who has filled a mailbox waits until it is read, and others do not.
import { type AccountId, CodedError } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Sqlite } from './database.ts'
import { rowBytes } from './day-bytes.ts'
import type { HeldGroup } from './group-rows.ts'
import { WeightedCache } from './weighted-cache.ts'

/** A mailbox is looked through once for so much from one sender, later when it is far from full. */
const LOOK_AFTER_BYTES = 1024 * 1024
const LOOK_AFTER_BYTES_MAX = 8 * LOOK_AFTER_BYTES
/** And once in so long while it is full. */
/** A chat of two is counted by itself up to so much, so that most of its messages cost nothing here. */
const CHAT_BYTES = 64 * 1024
const LOOK_AGAIN_MS = 5_000

type Recipient = { num: number; id: AccountId }
type Waiting = { entries: number; bytes: number; ownEntries: number; ownBytes: number }

export class MailboxFill {
  readonly #limits: RelayLimits
  /** By sender and recipient: how many bytes may pass before the mailbox is looked through; and since when it is full. */
  readonly #left: WeightedCache<string, number>
  readonly #full: WeightedCache<string, number>
  readonly #sql

  constructor(db: Sqlite, limits: RelayLimits) {
    this.#limits = limits
    this.#left = new WeightedCache(limits.accountsCachedMax)
    this.#full = new WeightedCache(limits.accountsCachedMax)
    this.#sql = {
      // The newest first: who fills a mailbox is found among them.
      waiting: db.prepare<[{ account: number; sender: number; rowsMax: number }], Waiting>(
        `SELECT count(*) AS entries, coalesce(sum(bytes), 0) AS bytes,
           count(*) FILTER (WHERE sender = @sender) AS ownEntries,
           coalesce(sum(bytes) FILTER (WHERE sender = @sender), 0) AS ownBytes
         FROM (SELECT length(entry.payload) + ${rowBytes.entry} AS bytes, entry.sender
               FROM mailbox JOIN entry ON entry.pos = mailbox.pos
               WHERE mailbox.account = @account AND mailbox.pos > (SELECT cursor FROM account WHERE num = @account)
               ORDER BY mailbox.pos DESC LIMIT @rowsMax)`,
      ),
    }
  }

  /** The same as `check`, for the other one of a group of two. */
  checkChat(group: HeldGroup, sender: number, sent: { bytes: number; nowMs: number }): void {
    group.aloneBytes += sent.bytes + rowBytes.entry
    if (group.aloneBytes < CHAT_BYTES && this.#full.isEmpty) return
    const to = soleOther(group, sender)
    if (to) this.check(sender, to, { bytes: group.aloneBytes, nowMs: sent.nowMs })
    group.aloneBytes = 0
  }

  /** Something of this size goes to one account alone. Throws `mailbox-full` when the sender has too much there. */
  check(sender: number, to: Recipient, sent: { bytes: number; nowMs: number }): void {
    const pair = `${sender}>${to.num}`
    const fullAtMs = this.#full.get(pair)
    const left = (this.#left.get(pair) ?? LOOK_AFTER_BYTES) - sent.bytes - rowBytes.entry
    const isDue = fullAtMs === undefined ? left <= 0 : hasPassed(fullAtMs, sent.nowMs)
    if (!isDue && fullAtMs !== undefined) throw new CodedError('mailbox-full', { account: to.id })
    const room = isDue ? this.#roomFor(sender, to.num) : left
    this.#full.delete(pair)
    this.#left.set(pair, room, 1)
    if (room > 0) return
    this.#full.set(pair, sent.nowMs, 1)
    throw new CodedError('mailbox-full', { account: to.id })
  }

  /**
   * How much may pass before the next look; nothing when it is full: for who has more there than a sender may have, and
   * in a mailbox that is full of others for who has more than a little.
   */
  #roomFor(sender: number, account: number): number {
    const { mailboxEntriesMax: rowsMax, mailboxBytesMax, mailboxBytesPerSenderMax } = this.#limits
    const waiting = this.#sql.waiting.get({ account, sender, rowsMax })
    if (!waiting) return LOOK_AFTER_BYTES
    const ownRoom = Math.min(
      mailboxBytesPerSenderMax - waiting.ownBytes,
      (this.#limits.mailboxEntriesPerSenderMax - waiting.ownEntries) * rowBytes.entry,
    )
    if (ownRoom <= 0) return 0
    const allRoom = Math.min(mailboxBytesMax - waiting.bytes, (rowsMax - waiting.entries) * rowBytes.entry)
    if (allRoom <= 0 && waiting.ownBytes >= LOOK_AFTER_BYTES) return 0
    return Math.min(Math.max(Math.min(ownRoom, allRoom) / 2, LOOK_AFTER_BYTES), LOOK_AFTER_BYTES_MAX)
  }
}

/** The other one of a group of two. */
export function soleOther(group: HeldGroup, sender: number): Recipient | undefined {
  if (group.members.size !== 2) return undefined
  for (const [num, id] of group.members) if (num !== sender) return { num, id }
  return undefined
}

/** Also when the clock was set back. */
const hasPassed = (fullAtMs: number, nowMs: number): boolean => Math.abs(nowMs - fullAtMs) >= LOOK_AGAIN_MS
