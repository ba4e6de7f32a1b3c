// Logs one line of counts an hour: for operators without Prometheus, and for later analysis.
import { inBackground, type Timer } from '@postern/protocol'
import type { RelayContext } from '../context.ts'
import type { Overview } from './overview.ts'

export class HourlyLine {
  readonly #parts: RelayContext
  readonly #overview: Overview
  #before: Record<string, number>
  #timer: Timer | undefined

  constructor(parts: RelayContext, overview: Overview) {
    this.#parts = parts
    this.#overview = overview
    this.#before = this.#counts()
  }

  start(): void {
    const { clock, limits, log } = this.#parts
    this.#timer = clock.setTimer(limits.figuresLoggedEveryMs, () => {
      this.start()
      inBackground(this.#write(), { what: 'the figures of the hour could not be read', log })
    })
  }

  stop(): void {
    this.#timer?.cancel()
  }

  async #write(): Promise<void> {
    const counts = this.#counts()
    const since = Object.entries(counts).map(([name, count]): [string, number] => [
      name,
      count - (this.#before[name] ?? 0),
    ])
    this.#before = counts
    const { members, accounts, groups, databaseUsedBytes, blobRoomBytes, diskFreeBytes } =
      await this.#overview.read('lately')
    const now = { connections: members, accounts, groups, databaseUsedBytes, blobBytes: blobRoomBytes, diskFreeBytes }
    this.#parts.log.info({ ...Object.fromEntries(since), ...now }, 'figures')
  }

  #counts(): Record<string, number> {
    const { figures } = this.#parts
    return {
      messages: figures.messages.total('accepted'),
      commits: figures.commits.total('accepted'),
      delivered: figures.delivered.total(),
      logins: figures.logins.total('accepted'),
      registrations: figures.registrations.total(),
      refusals: figures.refusals.total(),
      warnings: figures.logLines.total('warn'),
      errors: figures.logLines.total('error'),
    }
  }
}
