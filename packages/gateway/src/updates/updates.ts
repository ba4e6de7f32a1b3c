// The updates of this gateway: a queue for polling, a queue for a webhook, or none.
import type { WebhookStatus } from '@postern/bot-api/objects'
import type { ElapsedClock, Journal, Log } from '@postern/core'
import { type Clock, type CloseStack, CodedError, startWhole } from '@postern/protocol'
import type { GatewaySettings } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { OperatorState } from '../queue/operator-state.ts'
import { UpdateDiscard } from '../queue/update-discard.ts'
import { UpdateQueue } from '../queue/update-queue.ts'
import { UpdateRetention } from '../queue/update-retention.ts'
import { Attempts } from '../webhook/attempts.ts'
import { WebhookReceiver } from '../webhook/deliver.ts'
import { WebhookDrain } from '../webhook/drain.ts'
import { LongPoll, type PollCaller, type PollOptions } from './long-poll.ts'

type Mode =
  | { kind: 'poll'; queue: UpdateQueue; longPoll: LongPoll }
  | { kind: 'webhook'; queue: UpdateQueue; drain: WebhookDrain }
  | { kind: 'off' }

export type UpdatesOptions = {
  settings: Pick<GatewaySettings, 'updates' | 'webhook'>
  account: string
  state: OperatorState
  clock: Clock
  elapsed: Pick<ElapsedClock, 'nowMs'>
  log: Log
  metrics: Metrics
}

export class Updates {
  readonly #mode: Mode
  readonly #opened: CloseStack

  private constructor(mode: Mode, opened: CloseStack) {
    this.#mode = mode
    this.#opened = opened
  }

  static async open(journal: Journal, options: UpdatesOptions): Promise<Updates> {
    return await startWhole(options, async opened => new Updates(await openMode(journal, options, opened), opened))
  }

  /** Throws if there is nothing to poll, whatever the query. */
  assertPolled(): void {
    this.#longPoll()
  }

  /** The JSON array of updates; waits for the first one. */
  async poll(poll: PollOptions, caller: PollCaller): Promise<Uint8Array> {
    return await this.#longPoll().answer(poll, caller)
  }

  /** The same at this moment; nothing is confirmed. */
  peek(page: Omit<PollOptions, 'timeoutMs'>): Uint8Array {
    return this.#longPoll().peek(page)
  }

  #longPoll(): LongPoll {
    switch (this.#mode.kind) {
      case 'off':
        throw new CodedError('updates-off')
      case 'webhook':
        throw new CodedError('webhook-set')
      case 'poll':
        return this.#mode.longPoll
    }
  }

  webhookStatus(): WebhookStatus {
    switch (this.#mode.kind) {
      case 'off':
        return { enabled: false, pending: 0 }
      case 'poll':
        return { enabled: false, pending: this.#mode.queue.pending() }
      case 'webhook':
        return { pending: this.#mode.queue.pending(), ...this.#mode.drain.status() }
    }
  }

  /** At the stop: ends all waits. */
  release(): void {
    if (this.#mode.kind === 'poll') this.#mode.longPoll.release()
  }

  /** Call it after the last request. */
  async close(): Promise<void> {
    await this.#opened.close()
  }
}

async function openMode(journal: Journal, options: UpdatesOptions, opened: CloseStack): Promise<Mode> {
  const { settings, clock, elapsed, metrics } = options
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
  if (!settings.webhook) return { kind: 'poll', queue, longPoll: new LongPoll(queue, clock) }
  const drain = opened.add(drainTo(settings.webhook, queue, options), it => it.stop())
  return { kind: 'webhook', queue, drain }
}

function drainTo(webhook: { url: string; secret: string }, queue: UpdateQueue, options: UpdatesOptions): WebhookDrain {
  const { account, state, clock, elapsed, log, metrics } = options
  return new WebhookDrain(queue, {
    receiver: new WebhookReceiver({ ...webhook, account, clock }),
    attempts: new Attempts({ url: webhook.url, state, clock, elapsed }),
    clock,
    log,
    metrics,
  })
}
