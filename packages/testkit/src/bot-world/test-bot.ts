// A bot in a test: its gateway, and one life after the other.
import { setTimeout as pause } from 'node:timers/promises'
import { type AccountId, type ChatId, Deferred, privateChatId } from '@postern/protocol'
import { freePort } from '../free-port.ts'
import type { TestGateway, World } from '../world.ts'
import { type BotLife, BotLifeHere, type BotStart, type MakeBot } from './bot-life.ts'
import { type BotExecutable, BotProcess } from './bot-process.ts'
import { KillPoints } from './kill-points.ts'

/** A function that makes a bot of the SDK, or the command that starts a bot in any language. */
export type BotProgram = MakeBot | BotExecutable

export type BotOptions = {
  /** The name that people see. By default `bot`. */
  name?: string
  /** For a bot of the SDK: the options of `start`. */
  start?: BotStart
  /** Settings of its gateway. */
  gateway?: Readonly<Record<string, string>>
}

/** The gateway's own name of its queue. */
const QUEUE = 'operator'
/** A bot that does not wait for its own call confirms the update meanwhile. Looks, not time: the machine may be busy. */
const LOOKS = 50
const LOOK_EVERY_MS = 5

export class TestBot {
  readonly name: string
  readonly #world: World
  readonly #program: BotProgram
  readonly #start: BotStart
  readonly #points = new KillPoints()
  readonly #settings: Record<string, string>
  readonly #faults: Error[] = []
  #gateway: TestGateway
  #life: BotLife | undefined

  /** @internal */
  private constructor(
    world: World,
    parts: { program: BotProgram; options: BotOptions; gateway: TestGateway; settings: Record<string, string> },
  ) {
    const { name = 'bot', start = {} } = parts.options
    this.name = name
    this.#world = world
    this.#program = parts.program
    this.#start = start
    this.#gateway = parts.gateway
    this.#settings = parts.settings
  }

  /** @internal */
  static async open(
    world: World,
    program: BotProgram,
    { options, directory }: { options: BotOptions; directory: string },
  ): Promise<TestBot> {
    const settings = {
      BOT_NAME: options.name ?? 'bot',
      DATA_DIR: directory,
      // The same after a restart, so that the bot finds it again.
      LISTEN: `127.0.0.1:${await freePort()}`,
      ...options.gateway,
    }
    const gateway = await world.gateway(settings)
    const bot = new TestBot(world, { program, options, gateway, settings })
    await gateway.client.whenOnline({ timeoutMs: 60_000 })
    try {
      await bot.begin()
      return bot
    } catch (error) {
      await bot.stopGateway()
      throw error
    }
  }

  /** The address of its gateway, for calls of the test itself. */
  get url(): string {
    return this.#gateway.url
  }

  get token(): string {
    return this.#gateway.token
  }

  /** The link with which people open a chat with it. */
  get inviteUrl(): string {
    return this.#gateway.client.identity.me().inviteUrl
  }

  get id(): string {
    return this.#gateway.client.account
  }

  /** @internal How many points it has passed at which `killAt` could have killed it. */
  get points(): number {
    return this.#points.passed
  }

  /** The errors of lives that nobody ended. */
  get faults(): readonly Error[] {
    return this.#faults
  }

  /** @internal */
  async begin(): Promise<void> {
    if (this.#life) throw new Error(`${this.name} is running`)
    const destination = {
      url: this.url,
      token: this.token,
      points: this.#points,
      failed: (error: unknown) => void this.#faults.push(error instanceof Error ? error : new Error(String(error))),
    }
    const life =
      typeof this.#program === 'function'
        ? new BotLifeHere(this.#program, this.#start, destination)
        : new BotProcess(this.#program, destination)
    this.#life = life
    try {
      await life.start()
    } catch (error) {
      this.#life = undefined
      throw error
    }
  }

  /** @internal */
  async kill(): Promise<void> {
    const life = this.#life
    this.#life = undefined
    await life?.kill()
  }

  /** @internal */
  async stop(): Promise<void> {
    const life = this.#life
    this.#life = undefined
    await life?.stop()
  }

  /** @internal Kills it at the point with this number, counted from now. */
  killAt(at: number): Promise<string> {
    const killed = new Deferred<string>()
    const kill = async (point: string): Promise<void> => {
      // A bot that confirms beside its call would otherwise be killed ahead of both, and the update would come again.
      if (point.startsWith('before')) await this.#confirmsMore()
      await this.kill()
      killed.resolve(point)
    }
    this.#points.arm({ at, kill })
    return killed.promise
  }

  /** @internal */
  spare(): void {
    this.#points.disarm()
  }

  /** @internal */
  async stopGateway(): Promise<void> {
    await this.#world.closeGateway(this.#gateway)
  }

  /** @internal */
  async startGateway(): Promise<void> {
    this.#gateway = await this.#world.gateway(this.#settings)
    await this.#gateway.client.whenOnline({ timeoutMs: 60_000 })
  }

  /** Ends with the next confirmation of an update, or when none comes. */
  async #confirmsMore(): Promise<void> {
    const confirmed = this.#confirmed
    for (let look = 0; look < LOOKS && this.#confirmed === confirmed; look += 1) await pause(LOOK_EVERY_MS)
  }

  get #confirmed(): number {
    return this.#gateway.client.journal.confirmed(QUEUE)
  }

  /** @internal Whether it has handled and confirmed all updates that its gateway has, and has no call ahead of it. */
  get isIdle(): boolean {
    return this.#confirmed >= this.#gateway.client.journal.newest() && (this.#life?.isAtRest ?? true)
  }

  /** @internal What it has sent to this person, as its gateway has it: id and text. */
  sentTo(person: AccountId): string[] {
    const { client } = this.#gateway
    const chat: ChatId = privateChatId(person)
    return client.messages
      .list(chat, { beforeTs: Number.MAX_SAFE_INTEGER, limit: 100 })
      .filter(({ from }) => from.id === client.account)
      .map(({ id, text = '' }) => `${id} ${text}`)
  }
}
