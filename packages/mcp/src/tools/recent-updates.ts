// The newest updates of the chats that agents may read. Reading confirms nothing: the operator's queue stays as it is.
import type { Update } from '@postern/bot-api'
import {
  type ChatId,
  Deferred,
  gatewayLimits,
  inBackground,
  LogThrottle,
  logFault,
  mcpLimits,
  type Timer,
} from '@postern/protocol'
import type { McpContext } from '../mcp-context.ts'
import { RECENT_READER } from '../stored-names.ts'
import { shownUpdate } from './shown.ts'

export type UpdatesWanted = { after: number | undefined; chats: readonly ChatId[]; forMs: number; gone: AbortSignal }

export class RecentUpdates {
  readonly #context: McpContext
  readonly #faults: LogThrottle
  readonly #stop = new AbortController()
  #timer: Timer | undefined
  #dropping: Promise<void> = Promise.resolve()

  private constructor(context: McpContext) {
    this.#context = context
    this.#faults = new LogThrottle(context.clock, gatewayLimits.faultSaidEveryMs)
  }

  static async open(context: McpContext): Promise<RecentUpdates> {
    const { journal } = context.client
    if (journal.readerState(RECENT_READER) === undefined) await journal.setReaderState(RECENT_READER, '{}')
    return new RecentUpdates(context)
  }

  start(): void {
    this.#timer = this.#context.clock.setTimer(mcpLimits.lookEveryMs, () => {
      this.#dropping = this.#drop().finally(() => {
        if (!this.#stop.signal.aborted) this.start()
      })
      inBackground(this.#dropping, { what: 'updates for agents not dropped', log: this.#context.log })
    })
  }

  /** Ends all waits. */
  release(): void {
    this.#stop.abort()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#timer?.cancel()
    await this.#dropping
  }

  async read({ after, chats, forMs, gone }: UpdatesWanted): Promise<{ items: object[]; next: number }> {
    const { client, clock } = this.#context
    const untilMs = clock.monotonicMs() + forMs
    for (let next = after ?? 0; ; ) {
      const page = this.#page(next, chats)
      next = page.next
      const leftMs = untilMs - clock.monotonicMs()
      if (page.items.length > 0 || leftMs <= 0 || gone.aborted || this.#stop.signal.aborted) return page
      const woken = new Deferred()
      const wake = () => woken.resolve()
      woken.after(clock, leftMs, wake)
      woken.onAbort(gone, wake)
      woken.onAbort(this.#stop.signal, wake)
      woken.onSettled(client.journal.onAppend(wake))
      await woken.promise
    }
  }

  #page(after: number, chats: readonly ChatId[]): { items: object[]; next: number } {
    const { journal } = this.#context.client
    const items: object[] = []
    let next = Math.max(Math.min(after, journal.newest()), journal.confirmed(RECENT_READER))
    for (;;) {
      const entries = journal.read(next, mcpLimits.entriesPerPage)
      for (const { id, json } of entries) {
        next = id
        const update = { ...(JSON.parse(json) as Update), id }
        const shown = chats.includes(update.chat_id) ? shownUpdate(update) : undefined
        if (shown) items.push(shown)
        if (items.length >= mcpLimits.updatesPageMax) return { items, next }
      }
      if (entries.length === 0) return { items, next }
    }
  }

  async #drop(): Promise<void> {
    const { client, log } = this.#context
    const { updatesKeptMs, updatesKeptMax: keepMax } = mcpLimits
    try {
      await client.journal.dropBefore(RECENT_READER, { olderThanTs: client.elapsed.nowMs() - updatesKeptMs, keepMax })
    } catch (error) {
      const what = 'updates for agents not dropped; will retry'
      this.#faults.say(what, () => logFault(error, { what, log }))
    }
  }
}
