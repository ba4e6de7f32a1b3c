// The consumer of the queue without a name: long polls, or a webhook of the settings or of the API, which may be paused.
import type { NewWebhook } from '@postern/bot-api'
import type { WebhookStatus } from '@postern/bot-api/objects'
import type { ElapsedClock, Log } from '@postern/core'
import { type Clock, CodedError, SerialQueue } from '@postern/protocol'
import type { GatewaySettings } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { OperatorState, StoredWebhook } from '../queue/operator-state.ts'
import type { UpdateQueue } from '../queue/update-queue.ts'
import { Attempts } from '../webhook/attempts.ts'
import { WebhookReceiver } from '../webhook/deliver.ts'
import { WebhookDrain } from '../webhook/drain.ts'
import { LongPoll } from './long-poll.ts'

export type ConsumerOptions = {
  settings: Pick<GatewaySettings, 'webhook'>
  account: string
  state: OperatorState
  clock: Clock
  elapsed: Pick<ElapsedClock, 'nowMs'>
  log: Log
  metrics: Metrics
}

type Consumer =
  | { kind: 'poll'; longPoll: LongPoll }
  /** Without a drain it is paused. */
  | { kind: 'webhook'; webhook: StoredWebhook; attempts: Attempts; drain: WebhookDrain | undefined }

export class QueueConsumer {
  readonly #queue: UpdateQueue
  readonly #options: ConsumerOptions
  /** One change at a time: two drains of one queue would deliver updates twice. */
  readonly #changes = new SerialQueue()
  #now: Consumer
  #isMeasured = false

  constructor(queue: UpdateQueue, options: ConsumerOptions) {
    this.#queue = queue
    this.#options = options
    const { settings, state, log } = options
    this.#now = this.#begin(undefined)
    if (settings.webhook && state.webhook) log.warn({}, 'webhook of the API not used while WEBHOOK_URL is set')
    if (this.#now.kind === 'webhook' && !this.#now.drain) log.warn({}, 'webhook is paused')
  }

  get longPoll(): LongPoll {
    if (this.#now.kind === 'poll') return this.#now.longPoll
    throw new CodedError(this.#options.settings.webhook ? 'webhook-set' : 'webhook-set-here')
  }

  status(): WebhookStatus {
    const pending = this.#queue.pending()
    if (this.#now.kind === 'poll') return { enabled: false, pending }
    const { drain, attempts } = this.#now
    return { enabled: true, ...(!drain && { paused: true }), pending, ...attempts.status() }
  }

  get webhookUrl(): string | undefined {
    return this.#now.kind === 'webhook' ? this.#now.webhook.url : undefined
  }

  /** Failed attempts in a row; undefined while the webhook is paused, because nobody knows whether it works. */
  webhookFailures(): number | undefined {
    if (this.#now.kind === 'poll') return 0
    return this.#now.drain && (this.#now.attempts.known?.attempts ?? 0)
  }

  async set({ url, secret, previous_secret: previousSecret }: NewWebhook): Promise<void> {
    this.#assertOfApi()
    const webhook = { url, secret, ...(previousSecret !== undefined && { previousSecret }) }
    await this.#change({ webhook })
  }

  async remove(): Promise<void> {
    this.#assertOfApi()
    if (this.#now.kind === 'poll') return
    await this.#change({ webhook: undefined, webhookPaused: false })
  }

  async pause(): Promise<void> {
    const { drain } = this.#assertWebhook()
    if (drain) await this.#change({ webhookPaused: true })
  }

  async resume(): Promise<void> {
    const { drain } = this.#assertWebhook()
    if (!drain) await this.#change({ webhookPaused: false })
  }

  retry(): void {
    const { drain, attempts } = this.#assertWebhook()
    if (drain) drain.retryNow()
    else attempts.makeDue()
  }

  /** At the stop: ends all waits. */
  release(): void {
    if (this.#now.kind === 'poll') this.#now.longPoll.release()
  }

  async stop(): Promise<void> {
    await this.#changes.run(() => this.#end())
  }

  #assertOfApi(): void {
    if (this.#options.settings.webhook) throw new CodedError('webhook-in-settings')
  }

  #assertWebhook(): Extract<Consumer, { kind: 'webhook' }> {
    if (this.#now.kind === 'webhook') return this.#now
    throw new CodedError('webhook-missing')
  }

  /** Durable before it takes effect: a change that cannot be stored changes nothing. */
  async #change(change: Parameters<OperatorState['keep']>[0]): Promise<void> {
    await this.#changes.run(async () => {
      await this.#options.state.keep(change)
      await this.#end()
      this.#now = this.#begin(this.#now)
    })
  }

  /** The update in flight is abandoned, and sent again under its id. */
  async #end(): Promise<void> {
    if (this.#now.kind === 'poll') this.#now.longPoll.release()
    else await this.#now.drain?.stop()
  }

  /** The same receiver keeps its failures and its wait. */
  #begin(before: Consumer | undefined): Consumer {
    const { settings, state, clock, elapsed, log, metrics, account } = this.#options
    const webhook = settings.webhook ?? state.webhook
    if (!webhook) return { kind: 'poll', longPoll: LongPoll.over(this.#queue, clock) }
    const isSame = before?.kind === 'webhook' && before.webhook.url === webhook.url
    const attempts = isSame ? before.attempts : new Attempts({ url: webhook.url, state, clock, elapsed })
    this.#measure()
    if (state.isWebhookPaused) return { kind: 'webhook', webhook, attempts, drain: undefined }
    const receiver = new WebhookReceiver({ ...webhook, account, clock })
    const drain = new WebhookDrain(this.#queue, { receiver, attempts, clock, log, metrics })
    return { kind: 'webhook', webhook, attempts, drain }
  }

  #measure(): void {
    if (this.#isMeasured) return
    this.#isMeasured = true
    this.#options.metrics.addGauge(
      {
        name: 'postern_webhook_since_success_seconds',
        help: 'Time since an update was last delivered, or since the start.',
      },
      () => (this.#now.kind === 'webhook' ? this.#now.attempts.sinceSuccessMs() / 1000 : 0),
    )
  }
}
