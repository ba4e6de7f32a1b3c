// The updates of this gateway: a queue that is polled, one that is delivered to a webhook, or none at all.
import type { WebhookStatus } from '@postern/bot-api/objects'
import type { Journal, Log, PassedTime } from '@postern/core'
import { type Clock, CodedError } from '@postern/protocol'
import type { GatewaySettings } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { OperatorState } from '../queue/operator-state.ts'
import { UpdateDiscard } from '../queue/update-discard.ts'
import { UpdateQueue } from '../queue/update-queue.ts'
import { UpdateRetention } from '../queue/update-retention.ts'
import { Attempts } from '../webhook/attempts.ts'
import { Receiver } from '../webhook/deliver.ts'
import { WebhookDrain } from '../webhook/drain.ts'
import { LongPoll, type Poll, type Poller } from './long-poll.ts'

type Mode =
  | { kind: 'poll'; queue: UpdateQueue; retention: UpdateRetention; longPoll: LongPoll }
  | { kind: 'webhook'; queue: UpdateQueue; retention: UpdateRetention; drain: WebhookDrain }
  | { kind: 'off'; discard: UpdateDiscard }

export type UpdatesOptions = {
  settings: Pick<GatewaySettings, 'updates' | 'webhook'>
  account: string
  state: OperatorState
  clock: Clock
  passed: Pick<PassedTime, 'nowMs'>
  log: Log
  metrics: Metrics
}

export class Updates {
  readonly #mode: Mode

  private constructor(mode: Mode) {
    this.#mode = mode
  }

  static async open(journal: Journal, options: UpdatesOptions): Promise<Updates> {
    const { settings, clock, passed, metrics } = options
    if (settings.updates === 'off') return new Updates({ kind: 'off', discard: new UpdateDiscard(journal, options) })
    const queue = await UpdateQueue.open(journal)
    const retention = new UpdateRetention(queue, options)
    metrics.addGauge({ name: 'postern_updates_pending', help: 'Updates that nobody confirmed yet.' }, () =>
      queue.pending(),
    )
    metrics.addGauge(
      {
        name: 'postern_updates_oldest_seconds',
        help: 'How long the oldest unconfirmed update has waited; 0 when there is none.',
      },
      () => Math.max(0, passed.nowMs() - (queue.oldestTs() ?? passed.nowMs())) / 1000,
    )
    if (!settings.webhook) return new Updates({ kind: 'poll', queue, retention, longPoll: new LongPoll(queue, clock) })
    return new Updates({ kind: 'webhook', queue, retention, drain: drainTo(settings.webhook, queue, options) })
  }

  /** Throws where there is nothing to poll for, whatever the query says. */
  assertPolled(): void {
    this.#longPoll()
  }

  /** The JSON array of updates; waits for the first one. */
  async poll(poll: Poll, caller: Poller): Promise<Uint8Array> {
    return await this.#longPoll().answer(poll, caller)
  }

  /** The same as it would be now; nothing is confirmed. */
  peek(page: Omit<Poll, 'timeoutMs'>): Uint8Array {
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

  /** At the stop: nobody waits any longer. */
  release(): void {
    if (this.#mode.kind === 'poll') this.#mode.longPoll.release()
  }

  /** After the last request. */
  async close(): Promise<void> {
    switch (this.#mode.kind) {
      case 'off':
        return await this.#mode.discard.stop()
      case 'webhook':
        await this.#mode.drain.stop()
        return await this.#mode.retention.stop()
      case 'poll':
        return await this.#mode.retention.stop()
    }
  }
}

function drainTo(webhook: { url: string; secret: string }, queue: UpdateQueue, options: UpdatesOptions): WebhookDrain {
  const { account, state, clock, passed, log, metrics } = options
  return new WebhookDrain(queue, {
    receiver: new Receiver({ ...webhook, account, clock }),
    attempts: new Attempts({ url: webhook.url, state, clock, passed }),
    clock,
    log,
    metrics,
  })
}
