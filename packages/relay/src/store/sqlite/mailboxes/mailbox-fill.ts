// Limits unread entries per mailbox: a sender that has filled a mailbox waits until it is read, and others do not.
import { CodedError, relayFixedLimits, WeightedCache } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { rowBytes } from '../../rules/costs.ts'
import { type MailboxRecipient, roomFor, soleReader } from '../../rules/mailbox-room.ts'
import type { HeldGroup } from '../groups/group-rows.ts'
import type { MailboxRows } from './mailbox-rows.ts'

export class MailboxFill {
  readonly #mailboxes: MailboxRows
  readonly #limits: RelayLimits
  /**
   * By sender and recipient:
   * how many bytes may pass before the mailbox is counted again, and since when it is full.
   */
  readonly #left: WeightedCache<string, number>
  readonly #full: WeightedCache<string, number>

  constructor(mailboxes: MailboxRows, limits: RelayLimits) {
    this.#mailboxes = mailboxes
    this.#limits = limits
    this.#left = new WeightedCache(limits.accountsCachedMax)
    this.#full = new WeightedCache(limits.accountsCachedMax)
  }

  /** Like `check`, for the other member of a group of two. */
  checkChat(group: HeldGroup, sender: number, sent: { bytes: number; nowMs: number }): void {
    group.aloneBytes += sent.bytes + rowBytes.entry
    if (group.aloneBytes < relayFixedLimits.mailboxChatBytes && this.#full.isEmpty) return
    const to = soleReader(group.members, { sender })
    if (to) this.check(sender, to, { bytes: group.aloneBytes, nowMs: sent.nowMs })
    group.aloneBytes = 0
  }

  /** Data of this size goes to one account alone. Throws `mailbox-full` if the sender has too much there. */
  check(sender: number, to: MailboxRecipient, sent: { bytes: number; nowMs: number }): void {
    const pair = `${sender}>${to.num}`
    const fullAtMs = this.#full.get(pair)
    const left = (this.#left.get(pair) ?? relayFixedLimits.mailboxLookAfterBytes) - sent.bytes - rowBytes.entry
    const isDue = fullAtMs === undefined ? left <= 0 : hasPassed(fullAtMs, sent.nowMs)
    if (!isDue && fullAtMs !== undefined) throw new CodedError('mailbox-full', { account: to.id })
    const room = isDue ? this.#roomFor(sender, to.num) : left
    this.#full.delete(pair)
    this.#left.set(pair, room, 1)
    if (room > 0) return
    this.#full.set(pair, sent.nowMs, 1)
    throw new CodedError('mailbox-full', { account: to.id })
  }

  #roomFor(sender: number, account: number): number {
    const waiting = this.#mailboxes.waiting({ account, sender, rowsMax: this.#limits.mailboxEntriesMax })
    return waiting ? roomFor(waiting, this.#limits) : relayFixedLimits.mailboxLookAfterBytes
  }
}

/** Also if the clock was set back. */
const hasPassed = (fullAtMs: number, nowMs: number): boolean =>
  Math.abs(nowMs - fullAtMs) >= relayFixedLimits.mailboxLookAgainMs
