// For tests of bots: a relay, gateways, bots and people in one process, over real sockets and files.
import { join } from 'node:path'
import { World } from '../world.ts'
import { ChatPerson } from './bot-person.ts'
import { killEverywhere, settle } from './kill-everywhere.ts'
import { type BotOptions, type BotProgram, TestBot } from './test-bot.ts'

export type BotWorldOptions = {
  /** How long people wait for a message or a toast. By default half a minute. */
  withinMs?: number
}

const WITHIN_MS = 30_000

export class BotWorld implements AsyncDisposable {
  readonly #world: World
  readonly #withinMs: number
  readonly #bots: TestBot[] = []
  readonly #people: ChatPerson[] = []
  #gateways = 0

  private constructor(world: World, { withinMs = WITHIN_MS }: BotWorldOptions) {
    this.#world = world
    this.#withinMs = withinMs
  }

  static async start(options: BotWorldOptions = {}): Promise<BotWorld> {
    return new BotWorld(await World.start(), options)
  }

  /** Where all data is, until the world stops. */
  get directory(): string {
    return this.#world.directory
  }

  /** Starts a gateway, and the bot on it. */
  async bot(program: BotProgram, options: BotOptions = {}): Promise<TestBot> {
    this.#gateways += 1
    const directory = join(this.directory, `gateway-${this.#gateways}`)
    const bot = await TestBot.open(this.#world, program, { options, directory })
    this.#bots.push(bot)
    return bot
  }

  async person(name: string): Promise<ChatPerson> {
    const person = new ChatPerson(await this.#world.person(name), { withinMs: this.#withinMs })
    this.#people.push(person)
    return person
  }

  /** As by SIGKILL: none of its calls gets through from now on, and none is answered. */
  async kill(bot: TestBot): Promise<void> {
    await bot.kill()
  }

  /**
   * Waits until the bot has handled all updates, and will kill it at the point with this number. Each call that
   * changes something has two points: before it leaves the bot, and after the gateway has executed it. `killed` ends
   * after the kill, with the name of the point.
   */
  async killAt(bot: TestBot, point: number): Promise<{ killed: Promise<string> }> {
    // Someone may hear an answer before the bot has passed the point behind it.
    await settle(bot, { people: [], withinMs: this.#withinMs })
    return { killed: bot.killAt(point) }
  }

  /** Starts a new life of the bot; the present one, if any, is stopped in order. */
  async restart(bot: TestBot): Promise<void> {
    await bot.stop()
    await bot.begin()
  }

  /**
   * Tells the story without a kill, and then once for each point that the bot has passed: it is killed there and
   * started again. Throws unless everybody with a chat has received the same each time. The story ends when
   * people have the last message.
   */
  async killEverywhere(
    bot: TestBot,
    story: (round: number) => Promise<unknown>,
    { same = line => line }: { same?: (line: string) => string } = {},
  ): Promise<string[]> {
    const people = this.#people.filter(person => person.bots.includes(bot))
    return await killEverywhere({ bot, people, story, same, withinMs: this.#withinMs })
  }

  async stopGateway(bot: TestBot): Promise<void> {
    await bot.stopGateway()
  }

  /** On its previous data and address. */
  async startGateway(bot: TestBot): Promise<void> {
    await bot.startGateway()
  }

  async stopRelay(): Promise<void> {
    await this.#world.stopRelay()
  }

  async startRelay(): Promise<void> {
    await this.#world.startRelay()
  }

  /** Ends everything and removes its data. Throws if a bot has ended unasked. */
  async stop(): Promise<void> {
    const bots = this.#bots.splice(0)
    for (const bot of bots) await bot.kill()
    await this.#world.stop()
    const faults = bots.flatMap(bot => bot.faults)
    if (faults.length > 0) throw new AggregateError(faults, faults.map(({ message }) => message).join('\n'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
