// Timers for due work: receipts shortly after a burst and periodically within it,
// disappearing messages and polls when their time is up.
import { clientLimits, faultFields, inBackground, LogThrottle, type Timer } from '@postern/protocol'
import { waitingRepairs } from '../chats/members/repair-rosters.ts'
import type { Core } from '../context.ts'
import { waitingRestarts } from '../healing/restart-group.ts'
import { dueMs } from '../messages/age.ts'
import { nextExpiryMs } from '../messages/countdowns.ts'
import { nextPollCloseTs } from '../messages/polls.ts'
import { expireMessages } from '../timeline/expiry.ts'

export class Timekeeper {
  readonly #core: Core
  #chores: Timer | undefined
  #soon: Timer | undefined
  #receipts: Timer | undefined
  #toldMs = -Infinity
  #due: Timer | undefined
  #isStopped = false
  readonly #faults: LogThrottle

  constructor(core: Core) {
    this.#core = core
    this.#faults = new LogThrottle(core.clock, clientLimits.faultSaidEveryMs)
  }

  /**
   * Called when something may be due earlier than was known; often from within a transaction that is not written yet.
   */
  reschedule(): void {
    if (this.#isStopped || this.#soon) return
    this.#soon = this.#core.clock.setTimer(clientLimits.receiptsAfterMs, () => {
      this.#soon = undefined
      this.#look()
    })
  }

  /**
   * Messages have arrived. A receipt costs both sides and the relay as much as a message. In a stream, each further one
   * would add little: the first is sent soon, and later ones after a pause.
   */
  arrived(): void {
    if (this.#isStopped || this.#receipts) return
    const { clock } = this.#core
    const pausedMs = clientLimits.arrivedToldEveryMs - (clock.monotonicMs() - this.#toldMs)
    this.#receipts = clock.setTimer(Math.max(clientLimits.receiptsAfterMs, pausedMs), () => {
      this.#receipts = undefined
      this.#toldMs = clock.monotonicMs()
      this.#look()
    })
  }

  #look(): void {
    this.#core.wakeChores()
    this.armDue()
    // Repeated after the turn: the change that caused this call may not be in the database yet.
    this.#core.store.afterTurn(() => this.armDue())
  }

  armDue(): void {
    this.#due?.cancel()
    if (this.#isStopped) return
    try {
      this.#arm()
    } catch (error) {
      // Without a new timer, nothing would expire until the next write.
      this.#fault(error, 'due work not loaded; will retry')
      this.#due = this.#core.clock.setTimer(clientLimits.dueRetryMs, () => this.armDue())
    }
  }

  #arm(): void {
    this.#armChores()
    const { clock, elapsed } = this.#core
    const expireAfterMs = (nextExpiryMs(this.#core.store) ?? Infinity) - elapsed.nowMs()
    const closeAfterMs = (nextPollCloseTs(this.#core) ?? Infinity) - dueMs(this.#core)
    const afterMs = Math.max(0, Math.min(expireAfterMs, closeAfterMs))
    if (afterMs === Infinity) return
    this.#due = clock.setTimer(Math.min(afterMs, TIMER_MS_MAX), () => this.#doDueSoon())
  }

  /** Work that the chores find due: a group to carry on, lists to repair, keys to renew. */
  #armChores(): void {
    const waiting = [...waitingRestarts(this.#core), ...waitingRepairs(this.#core)].map(({ dueMs }) => dueMs)
    // At least a moment: work that cannot be done while the relay is unreachable must not be checked without end.
    const afterMs = Math.max(clientLimits.restartAfterMs, Math.min(...waiting) - this.#core.elapsed.nowMs())
    this.#chores?.cancel()
    this.#chores = this.#core.clock.setTimer(Math.min(afterMs, clientLimits.renewKeysEveryMs), () => {
      this.#core.wakeChores()
      this.armDue()
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#chores?.cancel()
    this.#soon?.cancel()
    this.#receipts?.cancel()
    this.#due?.cancel()
  }

  #doDueSoon(): void {
    inBackground(this.#doDue(), { what: 'due work failed', log: this.#core.log })
  }

  async #doDue(): Promise<void> {
    try {
      // Polls are closed by a chore, which first asks the relay whether there are votes to be read.
      this.#core.wakeChores()
      await expireMessages(this.#core)
      this.armDue()
    } catch (error) {
      this.#fault(error, 'due work not saved; will retry')
      if (!this.#isStopped) this.#due = this.#core.clock.setTimer(clientLimits.dueRetryMs, () => this.#doDueSoon())
    }
  }

  #fault(error: unknown, what: string): void {
    this.#faults.say(what, unsaid => this.#core.log.warn({ ...faultFields(error), ...unsaid }, what))
  }
}

/** A timer of JavaScript cannot wait longer. */
const TIMER_MS_MAX = 2 ** 31 - 1
