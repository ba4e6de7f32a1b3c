// Polls that end by time: told as closed once everything that the relay accepted before their end was read.
import { clientLimits, type Timer } from '@postern/protocol'
import type { Core } from '../context.ts'
import { progressOf } from '../journal/progress.ts'
import { dueMs } from '../messages/age.ts'
import { settleInDoubt } from '../messages/outbox.ts'
import { closePolls, lastDueCloseTs } from '../messages/polls.ts'

/** Whatever the relay accepted before that time is in the mailbox, at or below that cursor. */
type MailboxEnd = { nowMs: number; head: number }

export class PollEnds {
  readonly #core: Core
  #end: MailboxEnd | undefined
  #again: Timer | undefined
  #stopReading: (() => void) | undefined

  constructor(core: Core) {
    this.#core = core
    core.link.onChange(() => core.link.isOnline || this.#forget())
  }

  /** A chore: out of reach of the relay a poll stays open, because votes from before its end may still be there. */
  async tend(): Promise<void> {
    const dueTs = lastDueCloseTs(this.#core)
    if (dueTs === undefined) return
    try {
      await this.#close(dueTs)
    } catch (error) {
      // Over a connection that stays nobody else may come to it: the disk is full, or an answer was lost.
      if (this.#core.link.isOnline) this.#lookAgain(clientLimits.pollEndRetryMs)
      throw error
    }
  }

  async #close(dueTs: number): Promise<void> {
    if (!this.#end || this.#end.nowMs < dueTs) this.#end = await this.#core.link.call('mailboxEnd', {})
    const { nowMs, head } = this.#end
    if (progressOf(this.#core.store).cursor < head) return this.#goOnAt(head)
    // One's own votes do not come by the mailbox.
    await settleInDoubt(this.#core)
    await closePolls(this.#core, Math.min(nowMs, dueMs(this.#core)))
    if (nowMs < dueTs) this.#lookAgain(dueTs - nowMs)
  }

  #goOnAt(head: number): void {
    const { store, poke } = this.#core
    this.#stopReading ??= store.onCommit(() => {
      if (progressOf(store).cursor < head) return
      this.#stopReading?.()
      this.#stopReading = undefined
      poke()
    })
  }

  /** The relay's clock is behind ours, and by its time votes still count. Its word may change: it is asked now and then. */
  #lookAgain(afterMs: number): void {
    const { clock, poke } = this.#core
    this.#again?.cancel()
    const { pollEndAskedEveryMs, pollEndAskedAgainMs } = clientLimits
    // Not at once: a relay whose time never comes to the end would be asked a thousand times a second.
    this.#again = clock.setTimer(Math.min(Math.max(afterMs, pollEndAskedAgainMs), pollEndAskedEveryMs), poke)
  }

  /** What another relay, or this one after a loss, says of its mailbox is said of other entries. */
  #forget(): void {
    this.#end = undefined
    this.#again?.cancel()
    this.#stopReading?.()
    this.#stopReading = undefined
  }
}
