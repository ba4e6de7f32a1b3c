// What waits unread for one account: a sender who has filled a mailbox waits until it is read, and others do not.
import { type AccountId, CodedError } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Sqlite } from './database.ts'
import { rowBytes } from './day-bytes.ts'
import { WeightedCache } from './weighted-cache.ts'

/** A mailbox is looked through once for so much from one sender, and once in so long while it is full. */
const LOOK_EVERY_BYTES = 1024 * 1024
const LOOK_AGAIN_MS = 5_000

type Sent = { sinceLook: number; fullAtMs: number | undefined }
type Waiting = { entries: number; bytes: number; ownEntries: number; ownBytes: number }

export class MailboxFill {
  readonly #limits: RelayLimits
  readonly #sent: WeightedCache<string, Sent>
  readonly #sql

  constructor(db: Sqlite, limits: RelayLimits) {
    this.#limits = limits
    this.#sent = new WeightedCache(limits.accountsCachedMax)
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

  /** Something of this size goes to one account alone. Throws `mailbox-full` when the sender has too much there. */
  check(sender: number, to: { num: number; id: AccountId }, sent: { bytes: number; nowMs: number }): void {
    const pair = `${sender}>${to.num}`
    const before = this.#sent.get(pair) ?? { sinceLook: 0, fullAtMs: undefined }
    const sinceLook = before.sinceLook + sent.bytes + rowBytes.entry
    const isDue = before.fullAtMs === undefined ? sinceLook >= LOOK_EVERY_BYTES : hasPassed(before.fullAtMs, sent.nowMs)
    if (!isDue && before.fullAtMs !== undefined) throw new CodedError('mailbox-full', { account: to.id })
    if (!isDue) return this.#sent.set(pair, { sinceLook, fullAtMs: undefined }, 1)
    const isFull = this.#isFull(sender, to.num)
    this.#sent.set(pair, { sinceLook: 0, fullAtMs: isFull ? sent.nowMs : undefined }, 1)
    if (isFull) throw new CodedError('mailbox-full', { account: to.id })
  }

  /** Full for who has more than a sender may have there; in a mailbox that is full, for who has more than a little. */
  #isFull(sender: number, account: number): boolean {
    const { mailboxEntriesMax: rowsMax, mailboxBytesMax, mailboxBytesPerSenderMax } = this.#limits
    const waiting = this.#sql.waiting.get({ account, sender, rowsMax })
    if (!waiting) return false
    const { ownBytes, ownEntries } = waiting
    if (ownBytes >= mailboxBytesPerSenderMax || ownEntries >= this.#limits.mailboxEntriesPerSenderMax) return true
    const isMailboxFull = waiting.bytes >= mailboxBytesMax || waiting.entries >= rowsMax
    return isMailboxFull && ownBytes >= LOOK_EVERY_BYTES
  }
}

/** Also when the clock was set back. */
const hasPassed = (fullAtMs: number, nowMs: number): boolean => Math.abs(nowMs - fullAtMs) >= LOOK_AGAIN_MS
