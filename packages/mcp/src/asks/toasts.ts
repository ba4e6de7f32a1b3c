// Answers presses: the person who pressed reads what became of it.
import {
  type AccountId,
  type Clock,
  contentLimits,
  firstSigns,
  inBackground,
  mcpLimits,
  type PressId,
  unlessAborted,
  utf8,
} from '@postern/protocol'
import type { McpContext } from '../mcp-context.ts'

export class Toasts {
  readonly #context: Pick<McpContext, 'client' | 'log'>
  readonly #strangers: ToastBudget
  readonly #stop = new AbortController()

  constructor(context: Pick<McpContext, 'client' | 'clock' | 'log'>) {
    this.#context = context
    this.#strangers = new ToastBudget(context.clock)
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason)
  }

  /** In the background: an answer counts whether or not its toast arrives. */
  answer(press: PressId, text: string): void {
    const { client, log } = this.#context
    const key = `mcp-toast:${press}`
    const shown = firstSigns(text, { charsMax: contentLimits.toastCharsMax, bytesMax: Infinity })
    const once = { timeoutMs: mcpLimits.sendWithinMs, idempotency: { key, request: utf8(key) } }
    const sending = client.messages.answerPress(press, shown, once)
    inBackground(unlessAborted(sending, this.#stop.signal), { what: 'press of a question not answered', log })
  }

  /** To somebody who may not decide: a limited number, because each one is a message to the relay. */
  refuse(press: { id: PressId; by: AccountId }, text: string): void {
    if (this.#strangers.take(press.by)) this.answer(press.id, text)
  }
}

class ToastBudget {
  readonly #clock: Clock
  /** The times of recent toasts; the person whose last one is the oldest is first. */
  readonly #toldMs = new Map<AccountId, number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  take(account: AccountId): boolean {
    const nowMs = this.#clock.monotonicMs()
    const { strangerToastsMax, strangerToastsMs, strangersKeptMax } = mcpLimits
    const lately = (this.#toldMs.get(account) ?? []).filter(atMs => nowMs - atMs < strangerToastsMs)
    if (lately.length >= strangerToastsMax) return false
    this.#toldMs.delete(account)
    this.#toldMs.set(account, [...lately, nowMs])
    const [oldest] = this.#toldMs.keys()
    if (oldest !== undefined && this.#toldMs.size > strangersKeptMax) this.#toldMs.delete(oldest)
    return true
  }
}
