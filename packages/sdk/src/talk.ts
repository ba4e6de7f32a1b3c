// Handlers that wait for further updates of their chat. They are lost when the process ends.
import type { Update } from './api-types.ts'
import { type Clock, pause } from './clock.ts'
import type { UpdateContext, WaitOptions } from './context.ts'
import { type Filter, fits } from './filters.ts'

export type WaitEntry = {
  chat: string
  from: string | undefined
  filter: Filter
  talk: Talk
  give: (ctx: UpdateContext) => void
}

const WAIT_MS = 60_000

/** Everything that waits, oldest first. */
export class Waits {
  readonly #waiting = new Set<WaitEntry>()

  /** The one that found it waits no more. */
  settle(update: Update, from: string | undefined): WaitEntry | undefined {
    const found = [...this.#waiting].find(
      waiting =>
        waiting.chat === update.chat_id &&
        (waiting.from === undefined || waiting.from === from) &&
        fits(update, waiting.filter),
    )
    if (found) this.#waiting.delete(found)
    return found
  }

  add(waiting: WaitEntry): void {
    this.#waiting.add(waiting)
  }

  remove(waiting: WaitEntry): void {
    this.#waiting.delete(waiting)
  }
}

/** The run of one handler, over all updates that it waits for. */
export class Talk {
  readonly #waits: Waits
  readonly #clock: Clock
  #release: () => void = () => undefined
  /** Whether the handler has waited: its first update counts as handled since then. */
  hasWaited = false

  constructor(waits: Waits, clock: Clock) {
    this.#waits = waits
    this.#clock = clock
  }

  /** Ends when the handler has finished with the current update: it ends, or it waits for another. */
  async whenReleased(): Promise<void> {
    await new Promise<void>(resolve => {
      this.#release = resolve
    })
  }

  release(): void {
    this.#release()
  }

  async wait(ctx: UpdateContext, filter: Filter, options: WaitOptions): Promise<UpdateContext | undefined> {
    const { timeoutMs = WAIT_MS, from = ctx.from?.id } = options
    const over = new AbortController()
    const found: { ctx?: UpdateContext } = {}
    const give = (next: UpdateContext): void => {
      found.ctx = next
      over.abort()
    }
    const waiting = { chat: ctx.chatId, from, filter, talk: this, give }
    this.#waits.add(waiting)
    this.hasWaited = true
    this.release()
    await pause(this.#clock, timeoutMs, AbortSignal.any([over.signal, ctx.signal]))
    this.#waits.remove(waiting)
    return found.ctx
  }
}
