// One life of a bot: from its start until it is stopped or killed.
import { systemClock } from '@postern/protocol'
import { BotCalls } from './bot-calls.ts'
import type { KillPoints } from './kill-points.ts'

/** The machine's time. After a kill none of its timers ends. */
export interface BotClock {
  nowMs(): number
  setTimer(afterMs: number, run: () => void): { cancel(): void }
}

/** For `new Bot(options)`: all of them, otherwise the bot cannot be killed. */
export type BotAccess = { url: string; token: string; fetch: typeof fetch; clock: BotClock }

/** A bot of the SDK. */
export interface StartableBot {
  start(options?: { concurrency?: 'one' | 'chats' }): Promise<void>
  stop(options?: { graceMs?: number }): Promise<void>
}

export type MakeBot = (connection: BotAccess) => StartableBot

export type BotStart = { concurrency?: 'one' | 'chats' }

/** @internal */
export interface BotLife {
  /** Ends when it asks for updates. */
  start(): Promise<void>
  /** Nothing of it happens after that. */
  kill(): Promise<void>
  /** In order, as by SIGTERM. */
  stop(): Promise<void>
  /** Whether it seems to do nothing but wait for updates. */
  readonly isAtRest: boolean
}

/** @internal */
export type BotDestination = { url: string; token: string; points: KillPoints; failed: (error: unknown) => void }

/** @internal */
export class BotLifeHere implements BotLife {
  readonly #calls: BotCalls
  readonly #timers = new Set<{ cancel(): void }>()
  readonly #failed: (error: unknown) => void
  readonly #bot: StartableBot
  readonly #start: BotStart
  #ended: Promise<void> = Promise.resolve()

  constructor(make: MakeBot, start: BotStart, { url, token, points, failed }: BotDestination) {
    this.#calls = new BotCalls({ points, token })
    this.#start = start
    this.#failed = failed
    this.#bot = make({ url, token, fetch: this.#fetch, clock: this.#clock })
  }

  async start(): Promise<void> {
    const ended = this.#bot.start(this.#start)
    this.#ended = ended.catch((error: unknown) => this.#failed(error))
    await this.#calls.whenPolled(ended)
  }

  kill(): Promise<void> {
    this.#calls.end()
    for (const timer of this.#timers) timer.cancel()
    return Promise.resolve()
  }

  get isAtRest(): boolean {
    return this.#calls.isAtRest
  }

  async stop(): Promise<void> {
    await this.#bot.stop({ graceMs: 10_000 })
    await this.#ended
  }

  readonly #fetch: typeof fetch = async (input, init) => {
    const request = input instanceof Request ? input : undefined
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    const headers = new Headers(init?.headers ?? request?.headers)
    const call = {
      method: init?.method ?? request?.method ?? 'GET',
      path: pathname,
      authorization: headers.get('authorization'),
    }
    return await this.#calls.pass(call, life =>
      fetch(input, { ...init, signal: AbortSignal.any([life, ...(init?.signal ? [init.signal] : [])]) }),
    )
  }

  readonly #clock: BotClock = {
    nowMs: () => systemClock.nowMs(),
    setTimer: (afterMs, run) => {
      if (this.#calls.hasEnded) return { cancel: () => undefined }
      const timer = systemClock.setTimer(afterMs, () => {
        this.#timers.delete(timer)
        run()
      })
      this.#timers.add(timer)
      return timer
    },
  }
}
