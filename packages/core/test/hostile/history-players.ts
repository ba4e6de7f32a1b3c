// The players of a random history: people whose clients are restarted, and what each of them must know in the end.
import type { Notice } from '@postern/bot-api/events'
import type { AccountId, ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN, type World } from '@postern/testkit'
import type { JournalEvent } from '../../src/journal/journal.ts'
import type { HurriedClock } from './hurried-clock.ts'

/** A place in the history that all of its players share. */
export type Stage = { world: World; clock: HurriedClock; chat: ChatId }

/** A member that is cut off is no member at the relay until it is added again. */
const PASSING = new Set([
  'chat-healing',
  'relay-unreachable',
  'send-in-doubt',
  'stopping',
  'relay-broken',
  'group-unknown',
  'chat-left',
])

export class Player {
  readonly #stage: Stage
  #person: TestPerson
  #closing: Promise<void> = Promise.resolve()
  #shown = new Set<string>()
  readonly isHonest: boolean

  constructor(stage: Stage, person: TestPerson, { isHonest }: { isHonest: boolean }) {
    this.#stage = stage
    this.#person = person
    this.isHonest = isHonest
  }

  get id(): AccountId {
    return this.#person.id
  }

  get name(): string {
    return this.#person.name
  }

  /** The current one: a restarted client is another one. */
  get person(): TestPerson {
    return this.#person
  }

  drop(): void {
    this.#person.wire.drop()
  }

  async restart(): Promise<void> {
    this.#closing = this.#closing.then(() => this.#restart())
    await this.#closing
  }

  async #restart(): Promise<void> {
    const { world, clock } = this.#stage
    const { name } = this.#person
    await world.close(this.#person)
    this.#person = await world.person(name, { clock })
  }

  /** Work that has to succeed in the end: retried while the chat heals, the relay is away, or the client starts. */
  async insist<T>(work: (person: TestPerson) => Promise<T>): Promise<T> {
    for (;;) {
      await this.#closing
      try {
        return await work(this.#person)
      } catch (error) {
        const { code } = error as { code?: string }
        if (code === undefined || !PASSING.has(code)) throw error
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    }
  }

  /** Under one key: a message in doubt is not sent twice. */
  async say(text: string): Promise<void> {
    const { chat } = this.#stage
    const idempotency = { key: text, request: new TextEncoder().encode(text) }
    await this.insist(person => person.client.messages.sendText(chat, { text }, { ...WITHIN, idempotency }))
  }

  /** The members that it is shown; the earlier ones while its client starts. */
  shown(): Set<string> {
    try {
      this.#shown = new Set(this.#person.client.chats.get(this.#stage.chat).members.map(member => member.id))
    } catch (error) {
      if ((error as { code?: string }).code !== 'stopping') throw error
    }
    return this.#shown
  }

  texts(): string[] {
    return this.#person.texts(this.#stage.chat)
  }

  /** The notices of the chat. */
  notices(): Notice[] {
    return this.#person.client.journal
      .read(0, 10_000)
      .map(({ json }) => JSON.parse(json) as JournalEvent)
      .flatMap(event => (event.type === 'notice' && event.chat_id === this.#stage.chat ? [event.notice] : []))
  }
}
