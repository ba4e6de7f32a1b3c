// Removes the readers of consoles that are gone: a page that crashes or loses its connection removes nothing itself.
import type { Log } from '@postern/core'
import type { NamedReaders } from '@postern/core/node'
import { type Clock, gatewayLimits, inBackground, type Timer } from '@postern/protocol'

/** The name under which consoles read. */
export const CONSOLE = 'console'

export type BriefReadersOptions = {
  clock: Clock
  log: Log
  isStreamed: (name: string) => boolean
  remove: (name: string) => Promise<void>
}

export class BriefReaders {
  readonly #readers: NamedReaders
  readonly #options: BriefReadersOptions
  readonly #timers = new Map<string, Timer>()
  #isStopped = false

  constructor(readers: NamedReaders, options: BriefReadersOptions) {
    this.#readers = readers
    this.#options = options
    // Their consoles come back after a restart, if they still exist.
    for (const { name } of readers.list()) this.used(name)
  }

  /** Somebody opened the reader, or a stream of it has ended. Its console may come back for a while. */
  used(name: string): void {
    if (this.#isStopped || !this.#readers.find(name)?.isBrief) return
    this.#timers.get(name)?.cancel()
    const { clock, log } = this.#options
    const unused = clock.setTimer(gatewayLimits.consoleReaderGraceMs, () => {
      this.#timers.delete(name)
      inBackground(this.#removeUnused(name), { what: 'reader of a closed console not removed', log })
    })
    this.#timers.set(name, unused)
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers.values()) timer.cancel()
  }

  async #removeUnused(name: string): Promise<void> {
    const { isStreamed, remove } = this.#options
    if (isStreamed(name) || !this.#readers.find(name)) return
    try {
      await remove(name)
    } catch (error) {
      this.used(name)
      throw error
    }
  }
}
