// The updates of this gateway: a queue for polling, a queue for a webhook, or none.
import type { WebhookStatus } from '@postern/bot-api/objects'
import type { Journal } from '@postern/core'
import type { EventTypes } from '@postern/core/node'
import { type CloseStack, CodedError, startWhole } from '@postern/protocol'
import type { GatewaySettings } from '../config.ts'
import { UpdateDiscard } from '../queue/update-discard.ts'
import { UpdateQueue } from '../queue/update-queue.ts'
import { UpdateRetention } from '../queue/update-retention.ts'
import type { LongPoll, PollCaller, PollOptions } from './long-poll.ts'
import { type ConsumerOptions, QueueConsumer } from './queue-consumer.ts'
import { UpdateReaders } from './readers.ts'

type Mode = { kind: 'on'; queue: UpdateQueue; consumer: QueueConsumer } | { kind: 'off' }

export type UpdatesOptions = ConsumerOptions & { settings: Pick<GatewaySettings, 'updates' | 'webhook' | 'console'> }

export type WaitingUpdates = { count: number; oldestMs: number }

type Parts = { mode: Mode; readers: UpdateReaders; opened: CloseStack; elapsed: UpdatesOptions['elapsed'] }

export class Updates {
  readonly #mode: Mode
  /** In every mode: they need nobody to poll or to receive the queue without a name. */
  readonly readers: UpdateReaders
  readonly #opened: CloseStack
  readonly #elapsed: UpdatesOptions['elapsed']

  private constructor({ mode, readers, opened, elapsed }: Parts) {
    this.#elapsed = elapsed
    this.#mode = mode
    this.readers = readers
    this.#opened = opened
  }

  static async open(journal: Journal, options: UpdatesOptions): Promise<Updates> {
    return await startWhole(options, async opened => {
      const readers = openReaders(journal, options, opened)
      const mode = await openMode(journal, options, opened)
      return new Updates({ mode, readers, opened, elapsed: options.elapsed })
    })
  }

  /** Throws if there is nothing to poll, whatever the query. */
  assertPolled(): void {
    this.#longPoll()
  }

  /** The JSON array of updates of these types; waits for the first one. */
  async poll(poll: PollOptions, types: EventTypes, caller: PollCaller): Promise<Uint8Array> {
    return await this.#longPoll(types).answer(poll, caller)
  }

  /** The same at this moment; nothing is confirmed. */
  peek(page: Omit<PollOptions, 'timeoutMs'>, types: EventTypes): Uint8Array {
    return this.#longPoll(types).peek(page)
  }

  #longPoll(types?: EventTypes): LongPoll {
    const { consumer, queue } = this.#whenOn()
    const { longPoll } = consumer
    return types ? longPoll.of(this.readers.partOf(queue, types)) : longPoll
  }

  #whenOn(): Extract<Mode, { kind: 'on' }> {
    if (this.#mode.kind === 'off') throw new CodedError('updates-off')
    return this.#mode
  }

  webhookStatus(): WebhookStatus {
    return this.#mode.kind === 'off' ? { enabled: false, pending: 0 } : this.#mode.consumer.status()
  }

  /** Undefined without a webhook. */
  webhookUrl(): string | undefined {
    return this.#mode.kind === 'off' ? undefined : this.#mode.consumer.webhookUrl
  }

  /** Failed attempts in a row; undefined while the webhook is paused. */
  webhookFailures(): number | undefined {
    return this.#mode.kind === 'off' ? 0 : this.#mode.consumer.webhookFailures()
  }

  /** The updates that nobody has confirmed, and the age of the oldest. */
  waiting(): WaitingUpdates {
    if (this.#mode.kind === 'off') return { count: 0, oldestMs: 0 }
    const { queue } = this.#mode
    const oldestTs = queue.oldestTs()
    const oldestMs = oldestTs === undefined ? 0 : Math.max(0, this.#elapsed.nowMs() - oldestTs)
    return { count: queue.pending(), oldestMs }
  }

  /** Applies a change of the webhook, and returns its status. Throws `webhook` errors if it is not possible. */
  async changeWebhook(change: (consumer: QueueConsumer) => void | Promise<void>): Promise<WebhookStatus> {
    await change(this.#whenOn().consumer)
    return this.webhookStatus()
  }

  /** At the stop: ends all waits. */
  release(): void {
    if (this.#mode.kind === 'on') this.#mode.consumer.release()
    this.readers.release()
  }

  /** Call it after the last request. */
  async close(): Promise<void> {
    await this.#opened.close()
  }
}

function openReaders(journal: Journal, options: UpdatesOptions, opened: CloseStack): UpdateReaders {
  const { clock, log, metrics, settings } = options
  const readers = opened.add(new UpdateReaders(journal, { ...settings, clock, log }), it => it.release())
  metrics.addGauge({ name: 'postern_update_streams', help: 'Streams of updates that are open.' }, () => readers.streams)
  const said = 'updates dropped: not confirmed by a named reader in time; see GET /v1/readers'
  const retention = new UpdateRetention(readers, { ...options, counter: metrics.readerUpdatesDropped, said })
  opened.add(retention, it => it.stop())
  return readers
}

async function openMode(journal: Journal, options: UpdatesOptions, opened: CloseStack): Promise<Mode> {
  const { settings, elapsed, metrics } = options
  if (settings.updates === 'off') {
    opened.add(new UpdateDiscard(journal, options), it => it.stop())
    return { kind: 'off' }
  }
  const queue = await UpdateQueue.open(journal)
  metrics.addGauge({ name: 'postern_updates_pending', help: 'Updates that nobody confirmed yet.' }, () =>
    queue.pending(),
  )
  metrics.addGauge(
    {
      name: 'postern_updates_oldest_seconds',
      help: 'How long the oldest unconfirmed update has waited; 0 when there is none.',
    },
    () => Math.max(0, elapsed.nowMs() - (queue.oldestTs() ?? elapsed.nowMs())) / 1000,
  )
  opened.add(new UpdateRetention(queue, options), it => it.stop())
  const consumer = opened.add(new QueueConsumer(queue, options), it => it.stop())
  return { kind: 'on', queue, consumer }
}
