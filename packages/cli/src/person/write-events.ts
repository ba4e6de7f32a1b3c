// Writes what happens as lines, and confirms it afterwards: a kill repeats the last events at most, and loses none.
import type { Journal, Log } from '@postern/core'
import { personLimits } from '@postern/protocol'
import type { LineOutput } from './line-output.ts'

const READER = 'stdout'

type Surroundings = { output: LineOutput; log: Log; until: AbortSignal }

/** Until the signal; resolves when what was written is confirmed. */
export async function writeEvents(journal: Journal, { output, log, until }: Surroundings): Promise<void> {
  const confirmations = new Confirmations(journal, log)
  let written = journal.confirmed(READER)
  while (!until.aborted) {
    const entries = journal.read(written, personLimits.eventsPerPage)
    const last = entries.at(-1)
    if (!last) {
      await appended(journal, until)
      continue
    }
    if ((await output.write(...entries.map(entry => eventLine(entry.json)))) === 'lost') break
    written = last.id
    confirmations.add(written)
  }
  await confirmations.settled()
}

function eventLine(json: string): string {
  const { type, ...rest } = JSON.parse(json) as { type: string }
  return JSON.stringify({ event: type, ...rest })
}

/** Called right after a read that found nothing: no entry can come in between. */
async function appended(journal: Journal, until: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const wake = () => resolve()
  const unsubscribe = journal.onAppend(wake)
  until.addEventListener('abort', wake)
  await promise
  unsubscribe()
  until.removeEventListener('abort', wake)
}

/** One write to the disk at a time: events that come meanwhile share the next one. */
class Confirmations {
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
      this.#log.warn({ error: String(error) }, 'events could not be confirmed; they are shown again at the next start')
    } finally {
      this.#running = undefined
    }
  }
}
