// Reports polls that end by time, or were closed by this account,
// once everything that the relay accepted before their end was read.
import { clientLimits, type MessageId, type Timer } from '@postern/protocol'
import type { Core } from '../context.ts'
import { progressOf } from '../journal/progress.ts'
import { dueMs } from '../messages/age.ts'
import { closedHere, lastDueCloseTs, nextPollCloseTs } from '../messages/polls.ts'
import { settleInDoubt } from '../outbox/settle.ts'
import { closePolls } from '../timeline/close-polls.ts'

/**
 * Everything that the relay accepted before that time,
 * or before this account closed those polls, is in the mailbox at or below that cursor.
 */
type MailboxEnd = { nowMs: number; head: number; closed: MessageId[] }
/** The polls to report: those that end by time until then, and those that this account closed. */
type DuePolls = { dueTs: number | undefined; closed: MessageId[] }

export class PollEnds {
  readonly #core: Core
  #end: MailboxEnd | undefined
  #again: Timer | undefined
  #stopReading: (() => void) | undefined

  constructor(core: Core) {
    this.#core = core
    core.link.onChange(() => core.link.isOnline || this.#forget())
  }

  /** A chore: while the relay is unreachable a poll stays open, because it may still have votes from before its end. */
  async tend(): Promise<void> {
    const ended: DuePolls = { dueTs: lastDueCloseTs(this.#core), closed: closedHere(this.#core) }
    if (ended.dueTs === undefined && ended.closed.length === 0) return this.#waitForNext()
    try {
      await this.#close(ended)
    } catch (error) {
      // Over a connection that stays, nothing else may retry it: the disk is full, or an answer was lost.
      if (this.#core.link.isOnline) this.#lookAgain(clientLimits.pollEndRetryMs)
      throw error
    }
  }

  async #close(ended: DuePolls): Promise<void> {
    const { head, nowMs, closed } = await this.#endOf(ended)
    if (progressOf(this.#core.store).cursor < head) return this.#goOnAt(head)
    // The account's own votes do not come by the mailbox.
    await settleInDoubt(this.#core)
    const untilTs = Math.min(nowMs, dueMs(this.#core))
    await closePolls(this.#core, { untilTs, closed })
    if (ended.dueTs !== undefined && untilTs < ended.dueTs) this.#lookAgain(ended.dueTs - untilTs)
    else this.#waitForNext()
  }

  /**
   * The relay's time can set ours back by a moment. A poll that was due when timers were set would then never be due.
   */
  #waitForNext(): void {
    const afterMs = (nextPollCloseTs(this.#core) ?? Infinity) - dueMs(this.#core)
    if (afterMs < clientLimits.relayClockNewsMs) this.#lookAgain(afterMs)
  }

  /** Requested again only when the last answer does not reach far enough. */
  async #endOf({ dueTs = 0, closed }: DuePolls): Promise<MailboxEnd> {
    const known = this.#end
    if (known && known.nowMs >= dueTs && closed.every(poll => known.closed.includes(poll))) return known
    const end = { ...(await this.#core.link.call('mailboxEnd', {})), closed }
    this.#end = end
    return end
  }

  #goOnAt(head: number): void {
    const { store, wakeChores } = this.#core
    this.#stopReading ??= store.onCommit(() => {
      if (progressOf(store).cursor < head) return
      this.#stopReading?.()
      this.#stopReading = undefined
      wakeChores()
    })
  }

  /**
   * The relay's clock is behind ours, and by its time votes still count.
   * Its time may change, so it is asked periodically.
   */
  #lookAgain(afterMs: number): void {
    const { clock, wakeChores } = this.#core
    this.#again?.cancel()
    const { pollEndAskedEveryMs, pollEndAskedAgainMs } = clientLimits
    // Not immediately: a relay whose time never reaches the end would be asked a thousand times a second.
    this.#again = clock.setTimer(Math.min(Math.max(afterMs, pollEndAskedAgainMs), pollEndAskedEveryMs), wakeChores)
  }

  /** The position of another relay, or of this one after a loss, refers to other entries. */
  #forget(): void {
    this.#end = undefined
    this.#again?.cancel()
    this.#stopReading?.()
    this.#stopReading = undefined
  }
}
