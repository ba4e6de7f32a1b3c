// The webhook in Telegram's shape: which updates are posted, with which header, and calls in the receiver's answers.
import type { Update } from '@postern/bot-api'
import { gatewayLimits, SerialQueue } from '@postern/protocol'
import type { AnsweredCall, MethodInput, RunningDelivery, TelegramContext } from '../telegram-context.ts'
import { telegramErrorOf } from '../telegram-error.ts'
import type { ShownUpdate } from '../views/updates.ts'
import { type TelegramWebhookSettings, WebhookRecords } from './stored-webhook.ts'

/** In an answer these would have to wait for the delivery that they are the answer of. */
const NOT_IN_ANSWERS = new Set(['setwebhook', 'deletewebhook', 'getupdates', 'close', 'logout'])

export type WebhookParts = {
  /** The update as the bot receives it, or none. */
  show: (update: Update) => Promise<ShownUpdate | undefined>
  run: (method: string, input: MethodInput) => Promise<unknown>
}

export class TelegramWebhook {
  readonly #context: TelegramContext
  readonly #parts: WebhookParts
  readonly #records: WebhookRecords
  /** One change at a time: two deliveries would post every update twice. */
  readonly #changes = new SerialQueue()
  #running: RunningDelivery | undefined

  constructor(context: TelegramContext, parts: WebhookParts) {
    this.#context = context
    this.#parts = parts
    this.#records = new WebhookRecords(name => context.client.records(name))
  }

  get stored(): TelegramWebhookSettings | undefined {
    return this.#records.webhook
  }

  get lastFailure(): { error: string; ts: number } | undefined {
    return this.#running?.lastFailure()
  }

  /** At the start: continues where the last run ended. */
  async start(): Promise<void> {
    await this.#changes.run(async () => this.#begin())
  }

  /** Durable before it takes effect. `meanwhile` runs while nothing is posted. */
  async set(webhook: TelegramWebhookSettings | undefined, meanwhile: () => Promise<void>): Promise<void> {
    await this.#changes.run(async () => {
      // First: a change that cannot be stored changes nothing. Failures that the delivery still writes name its own address.
      await this.#records.setWebhook(webhook)
      await this.#running?.stop()
      this.#running = undefined
      try {
        await meanwhile()
      } finally {
        this.#begin()
      }
    })
  }

  /** At the stop. A change that is still in progress begins nothing afterwards: the gateway refuses it. */
  async stop(): Promise<void> {
    await this.#changes.run(async () => await this.#running?.stop())
  }

  #begin(): void {
    const webhook = this.stored
    if (!webhook) return
    const records = this.#records
    this.#running = this.#context.deliver({
      url: webhook.url,
      headers: webhook.secretToken === undefined ? {} : { 'x-telegram-bot-api-secret-token': webhook.secretToken },
      state: { read: () => records.delivery, write: text => records.setDelivery(text) },
      ready: () => this.#context.client.whenNewest({ timeoutMs: gatewayLimits.telegramNumberWithinMs }),
      bodyOf: async update => {
        const shown = await this.#parts.show(update)
        return shown && JSON.stringify(shown)
      },
      answered: call => this.#answered(call),
    })
  }

  /**
   * Runs the call once, however often the update is posted: its key is that of the update. Returns the fault if the
   * call can succeed later, so that the update is posted again.
   */
  async #answered({ update, read, gone }: AnsweredCall): Promise<string | undefined> {
    const { log } = this.#context
    let method = ''
    try {
      const { parameters, form } = await read()
      method = parameters.text('method') ?? ''
      if (method === '' || NOT_IN_ANSWERS.has(method.toLowerCase())) return undefined
      await this.#parts.run(method, { parameters, form, key: `telegram-webhook ${update}`, gone })
      return undefined
    } catch (error) {
      const known = telegramErrorOf(error)
      if (!known) log.error({ err: error, update }, 'telegram call in a webhook answer failed')
      else if (known.status >= 500) return known.message
      else log.warn({ update, reason: known.message }, 'telegram call in a webhook answer refused')
      return undefined
    }
  }
}
