// A bot: its handlers, and the ways in which updates reach them.
import { type Api, plainApi } from './api.ts'
import type { Me, NewCommand, Update } from './api-types.ts'
import { Client, type ClientOptions } from './client.ts'
import { Composer, type ErrorHandler, type Handler } from './composer.ts'
import type { Context } from './context.ts'
import { UpdateHandling } from './handling.ts'
import { Poller } from './poller.ts'
import { type WebhookHandler, type WebhookOptions, webhookHandler } from './webhook.ts'

export type BotOptions = Partial<ClientOptions> & {
  /** The commands that the app offers. They replace those of the bot at its start. */
  commands?: NewCommand[]
  /** Whether messages of other bots reach the handlers. By default false: two bots could answer each other for ever. */
  answersBots?: boolean
  /** How often a handler runs before its error goes to `catch`. By default 3. */
  attempts?: number
  /** For faults that the bot survives. By default standard error. */
  log?: (line: string, error: unknown) => void
}

export type StartOptions = {
  /** `chats`: different chats at the same time, each in its order. By default one update after the other. */
  concurrency?: 'one' | 'chats'
  /** A named reader, beside other programs that read the same updates. */
  reader?: string
  onReady?: (me: Me) => void
  /** Whether SIGTERM and SIGINT stop the bot in order. */
  signals?: boolean
}

const ATTEMPTS = 3
const GRACE_MS = 10_000

type Process = {
  env?: Record<string, string | undefined>
  once?: (signal: string, run: () => void) => void
  off?: (signal: string, run: () => void) => void
}
const { process = {} } = globalThis as { process?: Process }

export class Bot<C extends Context = Context> extends Composer<C> {
  /** The calls of the API, for everything that is no answer to an update. */
  readonly api: Api
  readonly #client: Client
  readonly #options: BotOptions
  readonly #handling: UpdateHandling
  readonly #log: (line: string, error: unknown) => void
  #onError: ErrorHandler<C> | undefined
  #me: Promise<Me> | undefined
  #polling: { polling: Poller; ended: Promise<void> } | undefined

  constructor(options: BotOptions = {}) {
    super()
    const { env = {} } = process
    const url = options.url ?? env['POSTERN_URL'] ?? 'http://127.0.0.1:8080'
    const token = options.token ?? env['POSTERN_TOKEN'] ?? env['BOT_TOKEN']
    if (!token) throw new TypeError('The bot needs the token of its gateway: set POSTERN_TOKEN, or pass `token`.')
    // oxlint-disable-next-line no-console -- a program without a log of its own must not fail in silence
    this.#log = options.log ?? ((line, error) => console.error(`${line}:`, error))
    this.#options = options
    this.#client = new Client({ ...options, url, token })
    this.api = plainApi(this.#client)
    this.#handling = new UpdateHandling({
      client: this.#client,
      me: () => this.#whoAmI(),
      handler: this.middleware() as Handler,
      onError: () => this.#onError as ErrorHandler | undefined,
      log: this.#log,
      answersBots: options.answersBots ?? false,
    })
  }

  /** Decides about an update whose handler has failed in all attempts. By default it is logged and skipped. */
  catch(handler: ErrorHandler<C>): this {
    this.#onError = handler
    return this
  }

  /** Polls for updates until `stop`. Rejects if the gateway refuses, because of a wrong token or a webhook. */
  async start({ concurrency = 'one', reader, onReady, signals = false }: StartOptions = {}): Promise<void> {
    if (this.#polling) throw new TypeError('The bot has already been started.')
    const polling = new Poller(this.#client, {
      concurrency,
      reader,
      log: this.#log,
      handle: (update, signal) => this.#handling.handle(update, this.#with(signal)),
    })
    const ended = this.#run(polling, onReady)
    this.#polling = { polling, ended }
    const stop = (): void => {
      this.stop().catch((error: unknown) => this.#log('stop failed', error))
    }
    if (signals) for (const signal of ['SIGTERM', 'SIGINT']) process.once?.(signal, stop)
    try {
      await ended
    } finally {
      for (const signal of ['SIGTERM', 'SIGINT']) process.off?.(signal, stop)
      await polling.stop(GRACE_MS)
      this.#polling = undefined
    }
  }

  /** Waits for the handlers that run, for ten seconds by default, and confirms what they have finished. */
  async stop({ graceMs = GRACE_MS }: { graceMs?: number } = {}): Promise<void> {
    const { polling, ended } = this.#polling ?? {}
    await polling?.stop(graceMs)
    await ended?.catch(() => undefined)
  }

  /** Handles an update that came in another way than `start` and `webhook`. */
  async handle(update: Update): Promise<void> {
    await this.#handling.handle(update, this.#with(new AbortController().signal))
  }

  /** Receives updates from the gateway, for any server that speaks Request and Response. */
  webhook(options: WebhookOptions): WebhookHandler {
    const { signal } = new AbortController()
    const judge = (update: Update) => this.#handling.judge(update, this.#with(signal))
    return webhookHandler({ ...options, clock: this.#client.clock, judge })
  }

  async #run(polling: Poller, onReady: ((me: Me) => void) | undefined): Promise<void> {
    const { commands } = this.#options
    if (commands) await this.#client.call('setCommands', { commands }, { retryForMs: Number.POSITIVE_INFINITY })
    onReady?.(await this.#whoAmI())
    await polling.run()
  }

  #with(signal: AbortSignal): { attempts: number; signal: AbortSignal } {
    return { attempts: this.#options.attempts ?? ATTEMPTS, signal }
  }

  async #whoAmI(): Promise<Me> {
    this.#me ??= this.#client.call('getMe', {}, { retryForMs: Number.POSITIVE_INFINITY }) as Promise<Me>
    try {
      return await this.#me
    } catch (error) {
      this.#me = undefined
      throw error
    }
  }
}
