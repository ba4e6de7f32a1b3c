// Reads presses of living messages from the journal, acts on each once, and answers the person who pressed.
import { type Client, followJournal, type Journal, type JournalEntry, type JournalEvent, type Log } from '@postern/core'
import {
  type Clock,
  CodedError,
  gatewayLimits,
  hookLimits,
  isCoded,
  LogThrottle,
  logFault,
  pause,
  unlessAborted,
} from '@postern/protocol'
import { LIVING_READER } from '../stored-names.ts'
import type { PressAction, PressContext } from './act-on-press.ts'
import type { LivingStore } from './living-store.ts'

export type PressReaderParts = { client: Client; store: LivingStore; action: PressAction; clock: Clock; log: Log }

export class PressReader {
  readonly #parts: PressReaderParts
  readonly #journal: Journal
  readonly #stop = new AbortController()
  readonly #faults: LogThrottle
  #running: Promise<void> = Promise.resolve()

  private constructor(parts: PressReaderParts) {
    this.#parts = parts
    this.#faults = new LogThrottle(parts.clock, gatewayLimits.faultSaidEveryMs)
    this.#journal = parts.client.journal
  }

  /** A new reader begins with future entries: there is no living message yet. */
  static async open(parts: PressReaderParts): Promise<PressReader> {
    const { journal } = parts.client
    if (journal.readerState(LIVING_READER) === undefined) await journal.setReaderState(LIVING_READER, '{}')
    return new PressReader(parts)
  }

  start(): void {
    this.#running = this.#readOn()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new CodedError('stopping'))
    await this.#running
  }

  async #readOn(): Promise<void> {
    const until = this.#stop.signal
    const read = () => this.#journal.read(this.#journal.confirmed(LIVING_READER), hookLimits.commandsPerPage)
    while (!until.aborted) {
      try {
        for await (const entries of followJournal(this.#journal, { read, until })) await this.#carryOut(entries)
      } catch (error) {
        if (isCoded(error, 'stopping') || until.aborted) return
        const what = 'press not acted on; will retry'
        this.#faults.say(what, () => logFault(error, { what, log: this.#parts.log }))
        await pause(this.#parts.clock, hookLimits.answerRetryMs, until)
      }
    }
  }

  async #carryOut(entries: readonly JournalEntry[]): Promise<void> {
    for (const entry of entries) {
      const press = this.#pressOf(entry)
      if (!press) continue
      await this.#handle(press)
      await this.#journal.confirm(LIVING_READER, entry.id, 'recorded')
    }
    const last = entries.at(-1)
    if (last) await this.#journal.confirm(LIVING_READER, last.id, 'recorded')
  }

  /** Undefined for other events. */
  #pressOf({ id, json }: JournalEntry): PressContext | undefined {
    // Most entries are messages: they are not parsed a second time.
    if (!json.includes('"living:')) return undefined
    const event = JSON.parse(json) as JournalEvent
    if (event.type !== 'button') return undefined
    const { message_id: message, from, data, press_id: press } = event.button
    const entry = this.#parts.store.ofMessage(message)
    if (!entry || entry.chat !== event.chat_id) return undefined
    return { number: id, from: { id: from.id, name: from.name }, data, press, entry }
  }

  async #handle(pressed: PressContext): Promise<void> {
    const toast = await this.#parts.action.act(pressed)
    if (toast === undefined) return
    const within = { timeoutMs: hookLimits.living.pressAnswerWithinMs }
    try {
      await unlessAborted(this.#parts.client.messages.answerPress(pressed.press, toast, within), this.#stop.signal)
    } catch (error) {
      if (isCoded(error, 'stopping')) throw error
      // It is too late, or the bot's own program was faster: the message shows the outcome.
      this.#parts.log.debug({ update: pressed.number }, 'press not answered')
    }
  }
}
