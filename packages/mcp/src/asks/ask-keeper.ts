// Carries questions to their end: sends those that the relay does not have, closes them in time, and edits their messages.
import { apiErrorOf } from '@postern/bot-api'
import {
  gatewayLimits,
  inBackground,
  KeyedQueue,
  LogThrottle,
  logFault,
  mcpLimits,
  SerialQueue,
  type Timer,
  unlessAborted,
  utf8,
} from '@postern/protocol'
import type { McpContext } from '../mcp-context.ts'
import { askWordsIn } from '../words.ts'
import type { Ask } from './ask.ts'
import type { AskStore } from './ask-store.ts'
import { askButtons, askedText, endedText } from './show-ask.ts'

export type KeeperOptions = {
  store: AskStore
  /** Called when a question is over. */
  onChange: () => void
  /** False while answers that came in time may wait to be read. */
  isCaughtUp: () => boolean
}

export class AskKeeper {
  readonly #context: McpContext
  readonly #options: KeeperOptions
  readonly #looks = new SerialQueue()
  /** One send or edit of a question at a time. */
  readonly #lanes = new KeyedQueue<string>()
  readonly #stop = new AbortController()
  readonly #faults: LogThrottle
  #forget: (() => void) | undefined
  #timer: Timer | undefined
  #isLookQueued = false

  constructor(context: McpContext, options: KeeperOptions) {
    this.#context = context
    this.#options = options
    this.#faults = new LogThrottle(context.clock, gatewayLimits.faultSaidEveryMs)
  }

  start(): void {
    const { client } = this.#context
    this.#forget = client.onConnectionChange(() => {
      if (client.isOnline) this.look()
    })
    this.look()
  }

  async stop(reason: unknown): Promise<void> {
    this.#forget?.()
    this.#timer?.cancel()
    this.#stop.abort(reason)
    await this.#looks.idle()
    await this.#lanes.idle()
  }

  /** Soon, and again when the next question falls due. */
  look(): void {
    if (this.#stop.signal.aborted || this.#isLookQueued) return
    this.#isLookQueued = true
    inBackground(
      this.#looks.run(() => this.#lookNow()),
      { what: 'questions of agents not looked at', log: this.#context.log },
    )
  }

  /** Resolves when the relay has the question. A repeat finds the message of the first try. */
  async deliver(id: string): Promise<void> {
    await this.#lanes.run(id, async () => {
      const ask = this.#options.store.find(id)
      if (!ask || ask.message || ask.state.kind !== 'open') return
      const { client, language } = this.#context
      const words = askWordsIn[language]
      const buttons = askButtons(ask)
      const content = { text: askedText(ask, words), mentions: [], ...(buttons.length > 0 && { buttons }) }
      const sending = client.messages.sendText(ask.chat, content, onceFor('asked', id))
      const { id: message } = await unlessAborted(sending, this.#stop.signal)
      await this.#options.store.change(id, now => ({ ...now, message }))
      this.#context.metrics.asks.add('asked')
      this.#context.log.info({ ask: id, chat: ask.chat }, 'question of an agent asked')
    })
  }

  async #lookNow(): Promise<void> {
    this.#isLookQueued = false
    this.#timer?.cancel()
    const isHeld = !this.#options.isCaughtUp()
    const isDone = [
      await this.#try(async () => {
        if (!isHeld) await this.#expire()
        await this.#prune()
      }),
    ]
    for (const ask of this.#options.store.all()) {
      if (this.#stop.signal.aborted) return
      if (!this.#context.client.isOnline) break
      if (ask.state.kind === 'open') isDone.push(await this.#try(() => this.#deliverAgain(ask)))
      else if (!ask.isShown) isDone.push(await this.#try(() => this.#show(ask)))
    }
    if (!this.#stop.signal.aborted) this.#lookLater({ isSoon: isHeld || isDone.includes(false) })
  }

  /** One question whose chat cannot be written to does not hold up the others. */
  async #try(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      this.#say(error)
      return false
    }
  }

  #say(error: unknown): void {
    if (this.#stop.signal.aborted) return
    const what = 'question of an agent not updated; will retry'
    this.#faults.say(what, () => logFault(error, { what, log: this.#context.log }))
  }

  #lookLater({ isSoon }: { isSoon: boolean }): void {
    const { client, clock } = this.#context
    const nowMs = client.elapsed.nowMs()
    const open = this.#options.store.all().filter(({ state }) => state.kind === 'open')
    const dueInMs = Math.min(mcpLimits.lookEveryMs, ...open.map(({ expiresMs }) => expiresMs - nowMs))
    this.#timer = clock.setTimer(isSoon ? mcpLimits.retryMs : Math.max(0, dueInMs), () => this.look())
  }

  async #expire(): Promise<void> {
    const { client, metrics } = this.#context
    const nowMs = client.elapsed.nowMs()
    for (const { id, expiresMs, state } of this.#options.store.all()) {
      if (state.kind !== 'open' || nowMs < expiresMs) continue
      const after = await this.#options.store.change(id, now =>
        now.state.kind === 'open' ? { ...now, state: { kind: 'expired' }, overMs: nowMs } : now,
      )
      if (after?.state.kind !== 'expired') continue
      metrics.asks.add('expired')
      this.#options.onChange()
    }
  }

  /** The send whose answer nobody waits for any more. */
  async #deliverAgain(ask: Ask): Promise<void> {
    if (ask.message) return
    try {
      await this.deliver(ask.id)
    } catch (error) {
      if (apiErrorOf(error).code === 'unavailable' || this.#stop.signal.aborted) throw error
      // No retry would help: the agent that waits learns that nobody will answer.
      await this.#options.store.change(ask.id, now => ({ ...now, state: { kind: 'cancelled' }, isShown: true }))
      this.#context.metrics.asks.add('cancelled')
      this.#options.onChange()
    }
  }

  /** Edits the message, and removes its buttons. */
  async #show({ id }: Ask): Promise<void> {
    await this.#lanes.run(id, async () => {
      const ask = this.#options.store.find(id)
      if (!ask || ask.isShown) return
      const { client, language, log } = this.#context
      try {
        const message = ask.message ?? (await client.messages.findSent(ask.chat, onceFor('asked', id)))?.id
        const text = endedText(ask, askWordsIn[language])
        if (message) {
          const edited = { message, text, mentions: [], ...(ask.options.length > 0 && { buttons: [] }) }
          const editing = client.messages.edit(ask.chat, edited, onceFor('ended', id))
          await unlessAborted(editing, this.#stop.signal)
        }
      } catch (error) {
        if (apiErrorOf(error).code === 'unavailable' || this.#stop.signal.aborted) throw error
        // The message is deleted, the bot is no longer there, or it is too old: the answer stands without it.
        log.debug({ ask: id, chat: ask.chat, reason: apiErrorOf(error).error }, 'end of a question not shown')
      }
      await this.#options.store.change(id, now => ({ ...now, isShown: true }))
    })
  }

  async #prune(): Promise<void> {
    const { asksKeptMs, asksKeptMax } = mcpLimits
    const nowMs = this.#context.client.elapsed.nowMs()
    const over = this.#options.store.all().filter(({ state, isShown }) => state.kind !== 'open' && isShown)
    const tooMany = Math.max(0, over.length - asksKeptMax)
    const gone = over.filter(({ overMs = 0 }, at) => at < tooMany || nowMs - overMs > asksKeptMs)
    await this.#options.store.remove(...gone.map(({ id }) => id))
  }
}

const onceFor = (what: string, id: string) => {
  const key = `mcp-ask:${what}:${id}`
  return { timeoutMs: mcpLimits.sendWithinMs, idempotency: { key, request: utf8(key) } }
}
