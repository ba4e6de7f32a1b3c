// All the traffic of a campaign: everybody's actions, and the programs behind the two bots.
import type { SeededRandom } from '@postern/testkit'
import type { ToldUpdate } from './check/check-updates.ts'
import type { Stage } from './parts/stage.ts'
import type { Book } from './traffic/book.ts'
import type { BotDoer } from './traffic/doers.ts'
import { type HookAddresses, HookSenders } from './traffic/hook-senders.ts'
import { Members } from './traffic/members.ts'
import { PollOperator } from './traffic/poll-operator.ts'
import { Polls } from './traffic/polls.ts'
import { Presses } from './traffic/presses.ts'
import { Profiles } from './traffic/profiles.ts'
import type { Cast, Rooms } from './traffic/rooms.ts'
import { Talk } from './traffic/talk.ts'
import { WebhookReceiver } from './traffic/webhook-receiver.ts'

export type TrafficOptions = { stage: Stage; book: Book; cast: Cast; rooms: Rooms; random: SeededRandom }

const PERSON_EVERY_MS = 500
const BOT_EVERY_MS = 400

export class Traffic {
  readonly #options: TrafficOptions
  readonly talk: Talk
  readonly polls: Polls
  readonly presses: Presses
  readonly profiles: Profiles
  readonly members: Members
  readonly operator: PollOperator
  #receiver: WebhookReceiver | undefined
  #senders: HookSenders | undefined
  #underWay: Promise<unknown>[] = []
  #operating: Promise<void> = Promise.resolve()
  readonly #reactions = new Set<Promise<unknown>>()
  /** Increases whenever the gateway with the webhook restarts, or its clock is set. */
  lifeOfPusher = 0

  constructor(options: TrafficOptions) {
    const { stage, book, rooms, random, cast } = options
    this.#options = options
    this.talk = new Talk({ book, rooms, random, folder: stage.files })
    const isAnyClockOff = () => Object.values(stage.parts).some(part => part.shiftMs !== 0)
    this.polls = new Polls({ book, random, rooms: rooms.lasting, isAnyClockOff })
    this.presses = new Presses({ book, random, rooms: rooms.lasting })
    this.profiles = new Profiles(book, random)
    this.members = new Members({ book, random, room: rooms.moving, admin: cast.alice, guest: cast.carol })
    this.operator = new PollOperator(cast.poller, { random, take: update => this.#take(cast.poller, update) })
  }

  async start(): Promise<void> {
    const { stage, book, cast, random, rooms } = this.#options
    this.#receiver = await WebhookReceiver.start(stage.receiverPort, {
      random,
      take: update => this.#take(cast.pusher, update),
      lifeOfSender: () => this.lifeOfPusher,
    })
    for (const person of [cast.alice, cast.bob, cast.carol]) person.onEvent = event => this.presses.shown(person, event)
    const addresses = await makeHooks(cast.poller, rooms.all.chatOf(cast.poller))
    this.#senders = new HookSenders({ book, random, addresses, room: rooms.all.name, by: cast.poller.name })
    this.#operating = this.operator.run()
    const people = [cast.alice, cast.bob, cast.carol]
    const bots = [cast.poller, cast.pusher]
    this.#underWay = [
      ...people.map(person => this.talk.run(person, PERSON_EVERY_MS)),
      ...bots.map(bot => this.talk.run(bot, BOT_EVERY_MS)),
      ...bots.flatMap(bot => [this.polls.run(bot), this.presses.run(bot), this.profiles.run(bot)]),
      this.members.run(),
      this.#senders.run(),
      this.#ask(),
    ]
    // Awaited at the end: an earlier failure must not end the campaign without its table.
    for (const work of this.#underWay) work.catch(() => undefined)
  }

  get receiver(): WebhookReceiver {
    if (!this.#receiver) throw new Error('the traffic was not started')
    return this.#receiver
  }

  setAway(isAway: boolean): void {
    this.operator.isAway = isAway
    this.receiver.isAway = isAway
  }

  /** Begins nothing new; resolves when everything begun has an outcome. */
  async stop(): Promise<void> {
    for (const one of [this.talk, this.polls, this.presses, this.profiles, this.members, this.#senders]) one?.stop()
    await Promise.all(this.#underWay)
    this.receiver.isSteady = true
    this.setAway(false)
  }

  async end(): Promise<void> {
    this.operator.stop()
    await this.#operating
    await Promise.all(this.#reactions)
    await this.receiver.stop()
  }

  /** Dave has no link of the bot that accepts only contacts: his messages wait until he is accepted. */
  async #ask(): Promise<void> {
    const { book, cast, rooms } = this.#options
    const { dave, pusher } = cast
    const chat = rooms.request.chatOf(dave)
    while ((await dave.do('open', { account: pusher.id })).outcome === 'doubtful');
    for (let count = 0; count < 5; count++) {
      const tag = book.nextTag()
      const text = `${tag} of a stranger`
      await book.say({ kind: 'text', tag, room: rooms.request.name, by: dave.name }, () =>
        dave.do('send', { chat, text }),
      )
    }
  }

  #take(bot: BotDoer, update: ToldUpdate): void {
    const reaction = this.#react(bot, update).finally(() => this.#reactions.delete(reaction))
    this.#reactions.add(reaction)
  }

  async #react(bot: BotDoer, update: ToldUpdate): Promise<void> {
    if (update.type === 'button') await this.presses.told(bot, update)
    const chat = update['chat'] as { id: string; state: string } | undefined
    if (chat?.state !== 'request') return
    while ((await bot.call({ path: `chats/${chat.id}/accept` })).outcome === 'doubtful');
  }
}

async function makeHooks(bot: BotDoer, chat: string): Promise<HookAddresses> {
  const make = async (format: string): Promise<string> => {
    const { ok, error } = await bot.call<{ url: string }>({ path: 'hooks', json: { chat_id: chat, format } })
    if (!ok) throw new Error(`no hook could be made: ${error}`)
    return ok.url
  }
  return { text: await make('text'), alerts: await make('alerts'), pipeline: await make('pipeline') }
}
