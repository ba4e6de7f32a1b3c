// The mailbox, entry by entry: each is written together with the cursor behind it, and only then acknowledged.
import {
  type Clock,
  CodedError,
  clientLimits,
  faultFields,
  inBackground,
  isCoded,
  Seldom,
  type Timer,
} from '@postern/protocol'
import type { Entry } from '@postern/protocol/relay'
import type { Core } from '../context.ts'
import type { LiveGroup } from '../groups/group-sessions.ts'
import { moveCursor, progressOf, rewindCursor } from '../journal/progress.ts'
import { settleGivenUp } from '../outbox/settle.ts'
import { isUnanswered } from '../relay-link/relay-answers.ts'
import type { Change } from '../storage/store.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { applyEntry } from './apply-entry.ts'

const UNWRITTEN = 'an entry could not be written; it will be applied again'
const UNSETTLED = 'the relay cannot say what became of a message; what came since is read when it can'

export class Inbox {
  readonly #core: Core
  readonly #clock: Clock
  readonly #unsettled = new Set<Promise<void>>()
  #queue: Entry[] = []
  #running: Promise<void> | undefined
  /** Up to here entries were applied; the database may be a little behind. */
  #applied: number
  readonly #acknowledgements: Acknowledgements
  #stuck = { cursor: 0, times: 0 }
  #retry: Timer | undefined
  readonly #faults: Seldom

  constructor(core: Core) {
    this.#core = core
    this.#faults = new Seldom(core.clock, clientLimits.faultSaidEveryMs)
    this.#clock = core.clock
    this.#acknowledgements = new Acknowledgements(core)
    this.#applied = this.cursor()
  }

  /** What is durable here: where the relay is asked to go on. */
  cursor(): number {
    return progressOf(this.#core.store).cursor
  }

  /** Behind an entry that was not applied nothing is: all of them come again. */
  deliver(entries: Entry[]): void {
    if (this.#retry) return
    this.#queue.push(...entries)
    this.#running ??= this.#run()
  }

  /** On a new connection: entries that came over the old one and were not applied come again. */
  async restart(): Promise<number> {
    await this.idle()
    this.#retry?.cancel()
    this.#retry = undefined
    this.#applied = this.cursor()
    return this.#applied
  }

  /** The relay's mailbox ends before the cursor: it lost entries, or once named a cursor that it did not have. */
  async rewind(cursor: number): Promise<void> {
    await this.#core.store.write(database => {
      rewindCursor(database, cursor)
      this.#core.order.forgetAll(database)
    })
    this.#applied = cursor
  }

  async idle(): Promise<void> {
    this.#queue = []
    await this.#running
    await Promise.allSettled(this.#unsettled)
  }

  /** Before the connection ends: what is durable by now is told. */
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

  async #applyNext(entry: Entry): Promise<void> {
    // On one connection a relay never goes back; a hostile one repeats and reorders at will.
    if (entry.cursor <= this.#applied) {
      this.#core.log.warn({ cursor: entry.cursor, applied: this.#applied }, 'the relay delivers out of order')
      return
    }
    const before = this.#applied
    this.#applied = entry.cursor
    const write = (change: Change<void>, live?: LiveGroup) => this.#write(change, { before, entry, live })
    if (this.#core.doubts.size > 0) await settleGivenUp(this.#core)
    try {
      await applyEntry(this.#core, entry, write)
    } catch (error) {
      if (!this.#isStuckAt(entry) || isCoded(error)) throw error
      // A fault of ours in one entry must not cut the account off from all that follows.
      this.#core.log.error({ ...faultFields(error), group: entry.group }, 'an entry was given up')
      write(() => {})
    }
  }

  #isStuckAt({ cursor }: Entry): boolean {
    this.#stuck = { cursor, times: this.#stuck.cursor === cursor ? this.#stuck.times + 1 : 1 }
    return this.#stuck.times >= clientLimits.inboxTriesMax
  }

  #write(
    change: Change<void>,
    { before, entry, live }: { before: number; entry: Entry; live: LiveGroup | undefined },
  ): void {
    const { groups, store } = this.#core
    const whole: Change<void> = database => {
      // An entry whose predecessor was not written must not be written either: it would be skipped for ever.
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
    inBackground(over, { what: 'an entry was not settled', log: this.#core.log })
  }

  /** The relay did not say what became of a message in doubt. A new connection settles that first, and delivers again. */
  #comeAgain(): void {
    this.#queue = []
    this.#core.link.restart()
  }

  /** The database alone is true: what is in memory is read again, and the relay delivers again. */
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
