// What was read of the mailbox is told to the relay once for many entries: soon, before too many wait, and at the end.
import { clientLimits, guarded, type Timer } from '@postern/protocol'
import type { Core } from '../context.ts'
import { progressOf } from '../journal/progress.ts'

type Telling = Pick<Core, 'clock' | 'link' | 'log' | 'store'>

/**
 * The relay promises nothing by an acknowledgement, and this database knows by itself where to read on. A kill before it is
 * told loses only that the relay counts some entries as unread until the next one comes, at the latest with the next login.
 */
export class EntryAcknowledgements {
  readonly #core: Telling
  #entries = 0
  #soon: Timer | undefined
  #isStopped = false

  constructor(core: Telling) {
    this.#core = core
  }

  /** One more entry is durable here. Never later than the relay would wait for: its window is of more entries. */
  note(): void {
    if (this.#isStopped) return
    const { clock, store } = this.#core
    this.#entries += 1
    if (this.#entries === clientLimits.acknowledgeEntriesMax) store.afterTurn(() => this.#tell())
    else this.#soon ??= clock.setTimer(clientLimits.acknowledgeWithinMs, () => this.#tell())
  }

  /** Before the connection ends. A database that cannot be read any more holds up no stop. */
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
