// A person who talks to bots in a test: a full client of the messenger, with the actions and the senses of people.
import { chatUpdate } from '@postern/bot-api/events'
import type { Message } from '@postern/bot-api/objects'
import { followJournal } from '@postern/core'
import { type ChatId, privateChatId } from '@postern/protocol'
import type { TestPerson } from '../person.ts'
import { type SeenMessage, seenMessage } from './seen-message.ts'
import type { TestBot } from './test-bot.ts'

/** @internal */
export type ChatPersonOptions = { withinMs: number }

type ChatUpdate = ReturnType<typeof chatUpdate.parse>
type Find<Found> = (event: ChatUpdate) => Found | undefined

const isLike = (text: string | undefined, wanted: string | RegExp): boolean =>
  text !== undefined &&
  (typeof wanted === 'string'
    ? text === wanted
    : new RegExp(wanted.source, wanted.flags.replaceAll(/[gy]/g, '')).test(text))

export class ChatPerson {
  readonly #person: TestPerson
  readonly #withinMs: number
  readonly #bots = new Set<TestBot>()
  #chat: ChatId | undefined
  #seen = 0

  /** @internal */
  constructor(person: TestPerson, { withinMs }: ChatPersonOptions) {
    this.#person = person
    this.#withinMs = withinMs
  }

  get name(): string {
    return this.#person.name
  }

  get id(): string {
    return this.#person.id
  }

  /** Bots with which this person has opened a chat. */
  get bots(): readonly TestBot[] {
    return [...this.#bots]
  }

  /** Opens the chat with the bot, as by its link. All later actions of the person are in this chat. */
  async opens(bot: TestBot): Promise<void> {
    const { id } = await this.#person.openInvite(bot.inviteUrl)
    this.#bots.add(bot)
    this.#chat = id
  }

  /** Ends when the relay has the message. */
  async says(text: string, { replyTo }: { replyTo?: SeenMessage } = {}): Promise<SeenMessage> {
    const reply = replyTo === undefined ? {} : { replyTo: replyTo.id as Message['id'] }
    return seenMessage(await this.#person.client.messages.sendText(this.#inChat(), { text, ...reply }, this.#within))
  }

  async sendsFile(name: string, bytes: Uint8Array): Promise<SeenMessage> {
    const source = async function* () {
      yield bytes
    }
    const { files } = this.#person.client
    const draft = await files.draft(source())
    try {
      const file = { draft, name, type: 'application/octet-stream', kind: 'file' } as const
      return seenMessage(await files.send(this.#inChat(), file, this.#within))
    } finally {
      await draft.discard()
    }
  }

  /** The bytes of a file that this person has received. */
  async reads({ id }: SeenMessage): Promise<Uint8Array> {
    const file = await this.#person.client.files.open(this.#inChat(), id as Message['id'], this.#within)
    return new Uint8Array(Buffer.concat(await Array.fromAsync(file.read())))
  }

  /** The next message or edit with this text, or caption. Everything before it counts as heard. */
  async hears(text: string | RegExp): Promise<SeenMessage> {
    return await this.hearsMessage(message => isLike(message.text, text), `hears ${text}`)
  }

  /** The next message or edit that fits. */
  async hearsMessage(isWanted: (message: SeenMessage) => boolean, what = 'hears it'): Promise<SeenMessage> {
    return await this.#next(what, event => {
      if (event.type !== 'message' && event.type !== 'edited') return undefined
      const message = seenMessage(event.message)
      return message.from.id !== this.id && isWanted(message) ? message : undefined
    })
  }

  /** The next answer to a press of this person. */
  async seesToast(text: string | RegExp): Promise<string> {
    return await this.#next(`sees the toast ${text}`, event =>
      event.type === 'toast' && isLike(event.toast.text, text) ? event.toast.text : undefined,
    )
  }

  /** Presses the button with this text, on the newest message that has one; waits for it. */
  async presses(button: string): Promise<void> {
    const dataIn = ({ buttons = [] }: Message) => buttons.flat().find(({ text }) => text === button)?.data
    const message = await this.#newest(`presses ${button}`, one => dataIn(one) !== undefined)
    await this.#person.client.messages.press(
      this.#inChat(),
      { message: message.id, data: dataIn(message) ?? '' },
      this.#within,
    )
  }

  /** Votes for the option with this text, in the newest open poll that has one; waits for it. */
  async votes(option: string): Promise<void> {
    const indexIn = ({ poll }: Message) => poll?.options.findIndex(({ text }) => text === option) ?? -1
    const message = await this.#newest(`votes ${option}`, one => one.poll?.closed === false && indexIn(one) >= 0)
    await this.#person.client.messages.vote(
      this.#inChat(),
      { message: message.id, options: [indexIn(message)] },
      this.#within,
    )
  }

  async reacts(emoji: string, { id }: SeenMessage): Promise<void> {
    await this.#person.client.messages.react(this.#inChat(), { message: id as Message['id'], emoji }, this.#within)
  }

  /** The newest hundred messages of the chat as they are now, oldest first. */
  messages(bot?: TestBot): SeenMessage[] {
    return this.#list(bot === undefined ? this.#inChat() : privateChatId(bot.id as ChatOwner)).map(seenMessage)
  }

  texts(bot?: TestBot): string[] {
    return this.messages(bot).map(({ text }) => text ?? '')
  }

  get #within(): { timeoutMs: number } {
    return { timeoutMs: this.#withinMs }
  }

  #inChat(): ChatId {
    if (this.#chat === undefined) throw new Error(`${this.name} has no chat yet: await ${this.name}.opens(bot)`)
    return this.#chat
  }

  #list(chat: ChatId): Message[] {
    return this.#person.client.messages.list(chat, { beforeTs: Number.MAX_SAFE_INTEGER, limit: 100 })
  }

  async #newest(what: string, isWanted: (message: Message) => boolean): Promise<Message> {
    return await this.#wait(what, () => this.#list(this.#inChat()).findLast(isWanted))
  }

  async #next<Found>(what: string, find: Find<Found>): Promise<Found> {
    return await this.#wait(what, () => {
      for (;;) {
        const entries = this.#person.client.journal.read(this.#seen, 1000)
        if (entries.length === 0) return undefined
        for (const { id, json } of entries) {
          this.#seen = id
          const found = find(chatUpdate.parse({ id, ...JSON.parse(json) }))
          if (found !== undefined) return found
        }
      }
    })
  }

  /** Looks again whenever something has happened. */
  async #wait<Found>(what: string, look: () => Found | undefined): Promise<Found> {
    const { journal } = this.#person.client
    const until = AbortSignal.timeout(this.#withinMs)
    const read = () => [look()].filter(found => found !== undefined)
    for await (const [found] of followJournal(journal, { read, until })) if (found !== undefined) return found
    const faults = this.bots.flatMap(bot => bot.faults)
    throw new Error(
      `${this.name} ${what}: not within ${this.#withinMs / 1000} s. The chat: ${JSON.stringify(this.texts())}${faults.map(fault => `\n${fault.message}`).join('')}`,
      { cause: faults[0] },
    )
  }
}

type ChatOwner = Parameters<typeof privateChatId>[0]
