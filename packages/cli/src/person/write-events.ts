// Writes events as lines, and confirms them afterwards: a kill repeats the last events at most, and loses none.
import { type Client, followJournal, type Journal, type JournalEvent, type Log } from '@postern/core'
import { type Clock, faultFields, inBackground, isCoded, pause, personLimits, systemClock } from '@postern/protocol'
import type { LineOutput } from './line-output.ts'

const READER = 'stdout'

type Surroundings = { output: LineOutput; log: Log; until: AbortSignal; clock?: Clock }

/** Until the signal; resolves when the written events are confirmed. A disk that fails for a while does not end it. */
export async function writeEvents(
  journal: Journal,
  { output, log, until, clock = systemClock }: Surroundings,
): Promise<void> {
  const confirmations = new EventConfirmations(journal, log)
  let written = journal.confirmed(READER)
  const read = () => journal.read(written, personLimits.eventsPerPage)
  const recover = async (error: unknown) => {
    if (isCoded(error, 'stopping')) throw error
    log.warn(faultFields(error), 'events could not be read; will retry')
    await pause(clock, personLimits.eventsRetryMs, until)
  }
  for await (const entries of followJournal(journal, { read, until, recover })) {
    if ((await output.write(...entries.map(entry => eventLine(entry.json)))) === 'lost') break
    written = entries.at(-1)?.id ?? written
    confirmations.add(written)
  }
  await confirmations.settled()
}

/**
 * Typing and drafts are in no journal: they are written when they begin, change and end, and never again. Returns the
 * function that ends this.
 */
export function writeTyping({ typing }: Client, { output, log }: Pick<Surroundings, 'output' | 'log'>): () => void {
  return typing.onChange(({ chat, person: from, ...change }) => {
    const line = JSON.stringify(
      change.state === 'drafting'
        ? { event: 'draft', chat_id: chat, draft: { from, ...change.draft } }
        : { event: 'typing', chat_id: chat, typing: { from, state: change.state } },
    )
    inBackground(output.write(line), { what: 'typing not shown', log })
  })
}

function eventLine(json: string): string {
  const { type, ...rest } = JSON.parse(json) as JournalEvent
  return JSON.stringify({ event: type, ...rest })
}

/** One write to the disk at a time: events that arrive meanwhile share the next one. */
class EventConfirmations {
  readonly #journal: Journal
  readonly #log: Log
  #wanted = 0
  #confirmed = 0
  #running: Promise<void> | undefined

  constructor(journal: Journal, log: Log) {
    this.#journal = journal
    this.#log = log
  }

  add(upTo: number): void {
    this.#wanted = upTo
    this.#running ??= this.#confirmWanted()
  }

  async settled(): Promise<void> {
    await this.#running
  }

  async #confirmWanted(): Promise<void> {
    try {
      while (this.#confirmed < this.#wanted) {
        const upTo = this.#wanted
        await this.#journal.confirm(READER, upTo)
        this.#confirmed = upTo
      }
    } catch (error) {
      this.#log.warn(faultFields(error), 'events not confirmed; they are shown again at the next start')
    } finally {
      this.#running = undefined
    }
  }
}
