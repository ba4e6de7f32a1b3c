// Posts updates in Telegram's shape to the address of setWebhook, by the delivery of the gateway's own webhook.
import type { IncomingMessage } from 'node:http'
import type { Update } from '@postern/bot-api'
import type { ElapsedClock, Log } from '@postern/core'
import { type Clock, contentLimits, gatewayLimits, unlessAborted } from '@postern/protocol'
import { Counter } from '@postern/protocol/metrics'
import { badRequest, READER, type RunningDelivery, type TelegramDelivery, TelegramError } from '@postern/telegram'
import type { Metrics } from '../../metrics/metrics.ts'
import type { DeliveryState } from '../../queue/operator-state.ts'
import type { UpdateReaders } from '../../updates/readers.ts'
import { Attempts, type DeliveryMemory } from '../../webhook/attempts.ts'
import { type DeliveryOutcome, JsonPoster, type UpdateReceiver } from '../../webhook/deliver.ts'
import { WebhookDrain } from '../../webhook/drain.ts'
import { MinimumRate } from '../minimum-rate.ts'
import { parametersOf } from './read-parameters.ts'

export type DeliverOptions = {
  readers: UpdateReaders
  clock: Clock
  elapsed: Pick<ElapsedClock, 'nowMs'>
  log: Log
  metrics: Metrics
}

/** `deliver` begins a delivery, until the gateway stops. */
export function telegramDeliveries(options: DeliverOptions): (delivery: TelegramDelivery) => RunningDelivery {
  const webhookAttempts = new Counter(
    {
      name: 'postern_telegram_webhook_attempts_total',
      help: 'Attempts to deliver an update to the webhook of the Telegram Bot API.',
      label: 'outcome',
    },
    ['delivered', 'failed'],
  )
  options.metrics.add([webhookAttempts])
  return delivery => {
    const { readers, clock, elapsed, log } = options
    const attempts = new Attempts({ url: delivery.url, state: memoryOf(delivery), clock, elapsed })
    const receiver = new TelegramReceiver(delivery, clock)
    const metrics = { webhookAttempts }
    const drain = new WebhookDrain(readers.delivery(READER), { receiver, attempts, clock, log, metrics })
    return {
      stop: () => drain.stop(),
      lastFailure: () => {
        const { last_error: error, last_error_ts: ts } = attempts.status()
        return error === undefined || ts === undefined ? undefined : { error, ts }
      },
    }
  }
}

const memoryOf = ({ state }: TelegramDelivery): DeliveryMemory => ({
  get delivery() {
    const stored = state.read()
    return stored === undefined ? undefined : (JSON.parse(stored) as DeliveryState)
  },
  keep: ({ delivery }) => state.write(JSON.stringify(delivery)),
})

class TelegramReceiver implements UpdateReceiver {
  readonly #delivery: TelegramDelivery
  readonly #poster: JsonPoster
  readonly #clock: Clock

  constructor(delivery: TelegramDelivery, clock: Clock) {
    this.#delivery = delivery
    this.#clock = clock
    this.#poster = new JsonPoster({ url: delivery.url, clock })
  }

  close(): void {
    this.#poster.close()
  }

  async deliver({ id, json }: { id: number; json: string }, stop: AbortSignal): Promise<DeliveryOutcome> {
    if (!(await this.#isReady(stop))) return { kind: 'stopped' }
    const body = await this.#delivery.bodyOf(JSON.parse(json) as Update)
    if (body === undefined) return { kind: 'passed' }
    return await this.#poster.post(body, this.#delivery.headers, {
      stop,
      read: response => this.#readAnswer(response, { update: id, gone: stop }),
    })
  }

  /** False at a stop. Throws while the relay is away: the drain tries again. */
  async #isReady(stop: AbortSignal): Promise<boolean> {
    try {
      await unlessAborted(this.#delivery.ready(), stop)
      return true
    } catch (error) {
      if (stop.aborted) return false
      throw error
    }
  }

  /** Its body may hold the call of a method. */
  #readAnswer(response: IncomingMessage, about: AnswerContext): Promise<DeliveryOutcome> | undefined {
    const type = response.headers['content-type'] ?? ''
    return /^(?:application\/(?:json|x-www-form-urlencoded)|multipart\/form-data)/i.test(type)
      ? this.#runAnswer(response, { ...about, type })
      : undefined
  }

  async #runAnswer(response: IncomingMessage, { update, gone, type }: AnswerContext & { type: string }) {
    const bytesMax = /^multipart/i.test(type) ? FILES_MAX : gatewayLimits.jsonBodyBytesMax
    const bytes = bytesOf(response, { bytesMax, clock: this.#clock })
    const length = Number(response.headers['content-length'])
    const read = () => parametersOf({ bytes, type, length, inQuery: {} })
    const fault = await this.#delivery.answered({ update, read, gone })
    // The rest of the body would occupy the connection of the next update.
    if (!response.complete) response.destroy()
    if (gone.aborted) return { kind: 'stopped' } as const
    if (fault === undefined) return { kind: 'delivered' } as const
    return { kind: 'failed', error: `The call in the receiver's answer failed: ${fault}` } as const
  }
}

type AnswerContext = { update: number; gone: AbortSignal }

const FILES_MAX = contentLimits.fileBytesMax + gatewayLimits.formAroundFileBytesMax

/** The time counts while the gateway waits for the receiver: the call itself may take longer. */
async function* bytesOf(
  response: IncomingMessage,
  { bytesMax, clock }: { bytesMax: number; clock: Clock },
): AsyncGenerator<Uint8Array, undefined> {
  const pace = new MinimumRate(clock)
  const chunks = response.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array, undefined>
  for (let length = 0; ; ) {
    pace.wait()
    const idle = clock.setTimer(gatewayLimits.webhookAnswerWithinMs, () => response.destroy())
    const { value: chunk } = await chunks
      .next()
      .catch((error: unknown) => {
        throw new TelegramError(502, 'the answer broke off', { cause: error })
      })
      .finally(() => idle.cancel())
    if (!chunk) return undefined
    if (!pace.isKeptWith(chunk.length)) throw new TelegramError(502, 'the answer came too slowly')
    length += chunk.length
    if (length > bytesMax) throw badRequest(`the answer must have at most ${bytesMax} bytes`)
    yield chunk
  }
}
