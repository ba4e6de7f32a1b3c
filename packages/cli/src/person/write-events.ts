// Writes events as lines, and confirms them afterwards: a kill repeats the last events at most, and loses none.
import { followJournal, type Journal, type JournalEvent, type Log } from '@postern/core'
import { faultFields, personLimits } from '@postern/protocol'
import type { LineOutput } from './line-output.ts'

const READER = 'stdout'

type Surroundings = { output: LineOutput; log: Log; until: AbortSignal }

/** Until the signal; resolves when the written events are confirmed. */
export async function writeEvents(journal: Journal, { output, log, until }: Surroundings): Promise<void> {
  const confirmations = new EventConfirmations(journal, log)
  let written = journal.confirmed(READER)
  const read = () => journal.read(written, personLimits.eventsPerPage)
  for await (const entries of followJournal(journal, { read, until })) {
    if ((await output.write(...entries.map(entry => eventLine(entry.json)))) === 'lost') break
    written = entries.at(-1)?.id ?? written
    confirmations.add(written)
  }
  await confirmations.settled()
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
