// Acknowledges the mailbox to the relay once for many entries: soon, before too many wait, and at the end.
import { clientLimits, guarded, type Timer } from '@postern/protocol'
import type { Core } from '../context.ts'
import { progressOf } from '../journal/progress.ts'

type Telling = Pick<Core, 'clock' | 'link' | 'log' | 'store'>

/**
 * The relay promises nothing in return for an acknowledgement, and this database knows where to continue. A kill before
 * one is sent only means that the relay counts some entries as unread until the next one, at the latest with the next
 * login.
 */
export class EntryAcknowledgements {
  readonly #core: Telling
  #entries = 0
  #soon: Timer | undefined
  #isStopped = false

  constructor(core: Telling) {
    this.#core = core
  }

  /** One more entry is durable here. It is acknowledged before the relay has to wait: its window has more entries. */
  note(): void {
    if (this.#isStopped) return
    const { clock, store } = this.#core
    this.#entries += 1
    if (this.#entries === clientLimits.acknowledgeEntriesMax) store.afterTurn(() => this.#tell())
    else this.#soon ??= clock.setTimer(clientLimits.acknowledgeWithinMs, () => this.#tell())
  }

  /** Before the connection ends. A database that cannot be read any more does not delay a stop. */
  stop(): void {
    this.#isStopped = true
    guarded(() => this.#tell(), { what: 'acknowledgement not sent', log: this.#core.log })()
  }

  #tell(): void {
    this.#soon?.cancel()
    this.#soon = undefined
    this.#entries = 0
    const { link, store } = this.#core
    if (link.isConnected) link.acknowledge(progressOf(store))
  }
}
