// One random history of a chat, and the simple model of its state for everybody.
import type { ChatId } from '@postern/protocol'
import type { SeededRandom } from '@postern/testkit/random'
import { expect } from 'vitest'
import { type Actor, type ButtonActor, POLL_OPTIONS, type Seen, type SeenPoll } from './actors.ts'

const EMOJIS = ['👍', '🔥', '🎉', '']
const BUTTON_DATA = ['yes', 'no', 'later']

/** The model of a chat: a list of messages that their senders change and everybody reacts to. */
export class History {
  readonly #random: SeededRandom
  readonly #chat: ChatId
  readonly #actors: Actor[]
  readonly #bot: ButtonActor
  readonly messages: Seen[] = []

  constructor(random: SeededRandom, { chat, people, bot }: { chat: ChatId; people: Actor[]; bot: ButtonActor }) {
    this.#random = random
    this.#chat = chat
    this.#actors = [...people, bot]
    this.#bot = bot
  }

  /** A random actor acts; the number makes every text unique. */
  async step(number: number): Promise<void> {
    const actor = this.#random.of(this.#actors)
    if (this.#random.below(8) === 0) actor.disturb()
    const about = this.#random.below(10)
    if (about < 6) await this.#speak(actor, number)
    else if (about < 9) await this.#takePartInPoll(actor, number)
    else await this.#changeButtons()
  }

  async #speak(actor: Actor, number: number): Promise<void> {
    const act = this.#random.below(10)
    if (act < 5) return await this.#say(actor, number)
    const own = this.messages.filter(({ from }) => from === actor.id)
    if (act < 7) return await this.#edit(actor, { number, target: this.#pick(own.filter(({ poll }) => !poll)) })
    const target = this.#pick(act < 8 ? own : this.messages)
    if (!target) return await this.#say(actor, number)
    await this.#reached(actor, target)
    if (act >= 8) return await this.#react(actor, target)
    await actor.erase(this.#chat, target.id)
    this.messages.splice(this.messages.indexOf(target), 1)
  }

  async #say(actor: Actor, number: number): Promise<void> {
    const text = `${number} 🙂 text`
    const id = await actor.say(this.#chat, text)
    this.messages.push({ id, from: actor.id, text, reactions: [] })
  }

  async #edit(actor: Actor, { target, number }: { target: Seen | undefined; number: number }): Promise<void> {
    if (!target) return await this.#say(actor, number)
    target.text = `edited at ${number}`
    await actor.edit(this.#chat, target.id, target.text)
  }

  async #react(actor: Actor, message: Seen): Promise<void> {
    const emoji = this.#random.of(EMOJIS)
    await actor.react(this.#chat, message.id, emoji)
    message.reactions = message.reactions.filter(([from]) => from !== actor.id)
    if (emoji !== '') message.reactions.push([actor.id, emoji])
    message.reactions.sort(([a], [b]) => (a < b ? -1 : 1))
  }

  async #takePartInPoll(actor: Actor, number: number): Promise<void> {
    const isOpen = (message: Seen): message is Seen & { poll: SeenPoll } => message.poll?.closed === false
    const asked = this.#pick(this.messages.filter(isOpen))
    const act = this.#random.below(8)
    if (!asked || act === 0) return await this.#ask(actor, number)
    if (act > 1 || asked.from !== actor.id) return await this.#vote(actor, asked)
    await actor.close(this.#chat, asked.id)
    asked.poll.closed = true
  }

  async #ask(actor: Actor, number: number): Promise<void> {
    const id = await actor.ask(this.#chat, `question ${number}`)
    const poll = { closed: false, votes: POLL_OPTIONS.map(() => []) }
    this.messages.push({ id, from: actor.id, text: '', reactions: [], poll })
  }

  async #vote(actor: Actor, asked: Seen & { poll: SeenPoll }): Promise<void> {
    await this.#reached(actor, asked)
    const options = [...POLL_OPTIONS.keys()].filter(() => this.#random.below(2) === 0)
    await actor.vote(this.#chat, asked.id, options)
    asked.poll.votes = asked.poll.votes.map((voters, at) => {
      const others = voters.filter(voter => voter !== actor.id)
      return options.includes(at) ? [...others, actor.id].sort() : others
    })
  }

  async #changeButtons(): Promise<void> {
    const target = this.#pick(this.messages.filter(({ from, poll }) => from === this.#bot.id && !poll))
    if (!target) return
    const data = BUTTON_DATA.filter(() => this.#random.below(2) === 0)
    await this.#bot.setButtons(this.#chat, target.id, data)
    delete target.buttons
    if (data.length > 0) target.buttons = data
  }

  /** An actor must already have the message that it acts on. */
  async #reached(actor: Actor, { id }: Seen): Promise<void> {
    await expect.poll(async () => (await actor.list(this.#chat)).map(message => message.id)).toContain(id)
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list.length > 0 ? this.#random.of(list) : undefined
  }
}
