// getUpdates: polls a reader of the gateway's updates under a name of its own, one poll at a time.
import type { Update } from '@postern/bot-api'
import type { Records } from '@postern/core'
import { gatewayLimits, isCoded } from '@postern/protocol'
import type { Parameters } from '../parameters.ts'
import type { TelegramContext } from '../telegram-context.ts'
import { TelegramError } from '../telegram-error.ts'
import type { ShownUpdate, ShownUpdates } from '../views/updates.ts'

/** `GET /v1/readers` lists it, too. */
export const READER = 'telegram'

type PollRequest = {
  offset: number
  limit: number
  endsAtMs: number
  allowed: readonly string[] | undefined
  gone: AbortSignal
}

export class PolledUpdates {
  readonly #context: TelegramContext
  readonly #shown: ShownUpdates
  #current: AbortController | undefined

  constructor(context: TelegramContext, shown: ShownUpdates) {
    this.#context = context
    this.#shown = shown
  }

  /** Creates the reader: updates wait for the first poll from now on. */
  async open(): Promise<void> {
    try {
      await this.#context.reader.poll({ offset: 0, limit: 1, timeoutMs: 0 }, nobodyLeaves)
    } catch (error) {
      // Only a running gateway can delete a reader.
      if (!isCoded(error, 'readers-full')) throw error
      this.#context.log.warn({}, 'telegram updates unavailable: too many readers, delete one')
    }
  }

  /** A poll ends the one before it, which is answered with 409. */
  async poll(parameters: Parameters, gone: AbortSignal): Promise<ShownUpdate[]> {
    // First: a request that is refused must not end the poll before it.
    const asked = pollAsked(parameters)
    const own = new AbortController()
    this.#current?.abort('other getUpdates request; make sure that only one bot instance is running')
    this.#current = own
    await this.keepAllowed(parameters)
    const poll = {
      limit: asked.limit,
      allowed: this.allowed(),
      endsAtMs: this.#context.clock.monotonicMs() + asked.timeoutSec * 1000,
      gone: AbortSignal.any([own.signal, gone]),
    }
    try {
      const offset = await this.#offset(asked.offset, poll.allowed)
      return await this.#read({ ...poll, offset }, own.signal)
    } finally {
      if (this.#current === own) this.#current = undefined
    }
  }

  /** The poll that waits is answered with 409: a webhook takes its place. */
  endPoll(): void {
    this.#current?.abort('setWebhook request')
  }

  async pending(): Promise<number> {
    const readers = await this.#context.call('listReaders')
    return readers.find(({ name }) => name === READER)?.pending ?? 0
  }

  async dropPending(): Promise<void> {
    const { client, reader } = this.#context
    await reader.poll({ offset: client.journal.newest() + 1, limit: 1, timeoutMs: 0 }, nobodyLeaves)
    await reader.durable()
  }

  /** Updates that the bot does not want are passed while it waits. */
  async #read({ limit, endsAtMs, allowed, gone, ...poll }: PollRequest, ended: AbortSignal): Promise<ShownUpdate[]> {
    const { clock, reader } = this.#context
    for (let { offset } = poll; ; ) {
      const timeoutMs = Math.max(0, endsAtMs - clock.monotonicMs())
      const page = await reader.poll({ offset, limit, timeoutMs }, gone)
      if (ended.aborted) throw new TelegramError(409, `Conflict: terminated by ${String(ended.reason)}`)
      // New numbers are written here, and the confirmation with them.
      const shown = await this.#shown.show(page, allowed)
      const last = page.at(-1)
      if (shown.length > 0 || !last || gone.aborted) {
        await reader.durable()
        return shown
      }
      offset = last.id + 1
    }
  }

  /** -1 is the last update: the ones before it are forgotten. */
  async #offset(asked: number, allowed: readonly string[] | undefined): Promise<number> {
    if (asked >= 0) return asked
    const wanted = Math.min(-asked, gatewayLimits.updatesKeptMax)
    const readers = await this.#context.call('listReaders')
    const { journal } = this.#context.client
    const ids: number[] = []
    let after = (readers.find(({ name }) => name === READER)?.offset ?? 1) - 1
    for (;;) {
      const page = journal.read(after, gatewayLimits.updatesPerPollMax)
      const last = page.at(-1)
      if (!last) return ids.at(-wanted) ?? ids[0] ?? journal.newest() + 1
      after = last.id
      for (const { id, json } of page) {
        const update = { ...(JSON.parse(json) as Update), id }
        if (this.#shown.mayShow(update, allowed)) ids.push(id)
      }
    }
  }

  /** The names of the last request that had any: they stay valid until the next, also after a restart. */
  allowed(): readonly string[] | undefined {
    const stored = this.#settings.get('allowed_updates')
    return stored === undefined ? undefined : (JSON.parse(stored) as string[])
  }

  async keepAllowed(parameters: Parameters): Promise<void> {
    if (!parameters.has('allowed_updates')) return
    const list = (parameters.list('allowed_updates') ?? []).filter(name => typeof name === 'string')
    const now = list.length === 0 ? undefined : JSON.stringify(list.slice(0, gatewayLimits.telegramAllowedNamesMax))
    if (now === this.#settings.get('allowed_updates')) return
    await this.#settings.change({ key: 'allowed_updates', ...(now === undefined ? { remove: true } : { put: now }) })
  }

  get #settings(): Records {
    return this.#context.client.records('telegram-settings')
  }
}

const nobodyLeaves = new AbortController().signal

const pollAsked = (parameters: Parameters) => ({
  offset: parameters.integer('offset') ?? 0,
  limit: limitOf(parameters.integer('limit')),
  timeoutSec: Math.min(Math.max(0, parameters.integer('timeout') ?? 0), gatewayLimits.telegramPollTimeoutSecMax),
})

const limitOf = (asked: number = gatewayLimits.updatesPerPollMax): number =>
  asked < 1 || asked > gatewayLimits.updatesPerPollMax ? gatewayLimits.updatesPerPollMax : asked
