// Processes the mailbox entry by entry: each is written together with the cursor after it, and only then acknowledged.
import {
  type Clock,
  CodedError,
  clientLimits,
  faultFields,
  inBackground,
  isCoded,
  LogThrottle,
  type Timer,
} from '@postern/protocol'
import type { Delivery, MailboxEntry } from '@postern/protocol/relay'
import type { Core } from '../context.ts'
import type { LiveGroup } from '../groups/group-sessions.ts'
import { moveCursor, progressOf, rewindCursor } from '../journal/progress.ts'
import { settleGivenUp } from '../outbox/settle.ts'
import { isUnanswered } from '../relay-link/relay-answers.ts'
import type { DatabaseChange } from '../storage/transactions/store.ts'
import { EntryAcknowledgements } from './acknowledgements.ts'
import { applyEntry } from './apply-entry.ts'
import { newEntries } from './new-entries.ts'

const UNWRITTEN = 'entry not saved; will be applied again'
const UNSETTLED = 'message outcome unknown; reading continues when the relay answers'

export class Inbox {
  readonly #core: Core
  readonly #clock: Clock
  readonly #unsettled = new Set<Promise<void>>()
  #queue: MailboxEntry[] = []
  /** The position of the last entry that was queued: the next page has to begin there. */
  #queued: number
  #running: Promise<void> | undefined
  /** Entries were applied up to here; the database may be a little behind. */
  #applied: number
  readonly #acknowledgements: EntryAcknowledgements
  #stuck = { cursor: 0, times: 0 }
  #retry: Timer | undefined
  readonly #faults: LogThrottle

  constructor(core: Core) {
    this.#core = core
    this.#faults = new LogThrottle(core.clock, clientLimits.faultSaidEveryMs)
    this.#clock = core.clock
    this.#acknowledgements = new EntryAcknowledgements(core)
    this.#applied = this.cursor()
    this.#queued = this.#applied
  }

  /** The last durable position, from which the relay continues. */
  cursor(): number {
    return progressOf(this.#core.store).cursor
  }

  /**
   * After an entry that was not applied, no later one is applied: all of them come again. A page with a gap is not
   * queued either: the cursor would pass the missing entries, and nobody would ask for them again.
   */
  deliver(page: Delivery): 'news' | 'known' | 'gap' {
    if (this.#retry) return 'known'
    const entries = newEntries(page, this.#queued)
    const last = entries?.at(-1)
    if (!entries)
      this.#core.log.warn({ after: page.after, queued: this.#queued }, 'entries missing or out of order; reading again')
    if (!entries || !last) return entries ? 'known' : 'gap'
    this.#queue.push(...entries)
    this.#queued = last.cursor
    this.#running ??= this.#run()
    return 'news'
  }

  /** On a new connection: entries that came over the old one and were not applied come again. */
  async restart(): Promise<number> {
    await this.idle()
    this.#retry?.cancel()
    this.#retry = undefined
    this.#applied = this.cursor()
    this.#queued = this.#applied
    return this.#applied
  }

  /** The relay's mailbox ends before the cursor: it lost entries, or once named a cursor that it did not have. */
  async rewind(cursor: number): Promise<void> {
    await this.#core.store.write(database => {
      rewindCursor(database, cursor)
      this.#core.order.forgetAll(database)
    })
    this.#queue = []
    this.#applied = cursor
    this.#queued = cursor
  }

  async idle(): Promise<void> {
    this.#queue = []
    await this.#running
    await Promise.allSettled(this.#unsettled)
  }

  /** Before the connection ends: acknowledges what is durable by now. */
  stop(): void {
    this.#retry?.cancel()
    this.#acknowledgements.stop()
  }

  async #run(): Promise<void> {
    try {
      for (let entry = this.#queue.shift(); entry; entry = this.#queue.shift()) await this.#applyNext(entry)
    } catch (error) {
      if (isUnanswered(error)) this.#comeAgain()
      else this.#fail(error)
    } finally {
      this.#running = undefined
    }
  }

  async #applyNext(entry: MailboxEntry): Promise<void> {
    const before = this.#applied
    this.#applied = entry.cursor
    const write = (change: DatabaseChange<void>, live?: LiveGroup) => this.#write(change, { before, entry, live })
    if (this.#core.doubts.size > 0) await settleGivenUp(this.#core)
    try {
      await applyEntry(this.#core, entry, write)
    } catch (error) {
      if (!this.#isStuckAt(entry) || isCoded(error)) throw error
      // A fault of ours in one entry must not cut the account off from all later ones.
      this.#core.log.error({ ...faultFields(error), group: entry.group }, 'entry given up')
      write(() => {})
    }
  }

  #isStuckAt({ cursor }: MailboxEntry): boolean {
    this.#stuck = { cursor, times: this.#stuck.cursor === cursor ? this.#stuck.times + 1 : 1 }
    return this.#stuck.times >= clientLimits.inboxTriesMax
  }

  #write(
    change: DatabaseChange<void>,
    { before, entry, live }: { before: number; entry: MailboxEntry; live: LiveGroup | undefined },
  ): void {
    const { groups, store } = this.#core
    const whole: DatabaseChange<void> = database => {
      // An entry whose predecessor was not written must not be written either:
      // the predecessor would be skipped forever.
      if (!moveCursor(database, { from: before, to: entry.cursor })) throw new CodedError('storage-failed')
      change(database)
    }
    const written = live ? groups.save(live, whole) : store.write(whole)
    const settled = written.then(
      () => this.#acknowledgements.note(),
      (error: unknown) => this.#fail(error),
    )
    this.#unsettled.add(settled)
    const over = settled.finally(() => this.#unsettled.delete(settled))
    inBackground(over, { what: 'entry not settled', log: this.#core.log })
  }

  /** The relay did not answer about a message in doubt. A new connection settles that first, and delivers again. */
  #comeAgain(): void {
    this.#queue = []
    this.#core.link.restart()
  }

  /** The database is authoritative: the state in memory is read again, and the relay delivers again. */
  #fail(error: unknown): void {
    this.#queue = []
    if (this.#retry) return
    const what = isCoded(error, 'relay-full', 'relay-failing') ? UNSETTLED : UNWRITTEN
    this.#faults.say(what, unsaid => this.#core.log.warn({ ...faultFields(error), ...unsaid }, what))
    this.#core.groups.forgetAll()
    this.#retry = this.#clock.setTimer(clientLimits.inboxRetryMs, () => {
      this.#retry = undefined
      this.#core.link.restart()
    })
  }
}
