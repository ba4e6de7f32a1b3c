// People and a bot who constantly send, edit, delete and react in their chats, and keep a book of their answers.
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit/random'
import { DeedBook, type Entry } from './deed-book.ts'
import type { Actor, Deed } from './killable-actors.ts'
import { Tally } from './tally.ts'

const IN_FLIGHT_MAX = 4
const BURST = 4
/** Occasionally one actor alone sends this many concurrently: far more than a receiver keeps keys for out of order. */
const WIDE_BURST = 30
const RECENT = 12
const EMOJI = ['👍', '🎉', '🙈', '']

/** A received event: an update of the bot, or a person's event. */
type Told = {
  type: string
  chat_id: string
  message?: { id: string; text?: string; from?: { id: string } }
  reaction?: { message_id: string; from: { id: string }; emoji: string }
  expired?: string[]
}
/** Two chats of everybody: in one messages last, in the other they disappear. */
export type Stage = { actors: Actor[]; told: Map<Actor, Told[]>; lasting: string; brief: string }

export class Traffic {
  readonly #random: SeededRandom
  readonly #stage: Stage
  readonly lasting = new DeedBook()
  readonly brief = new DeedBook()
  /** Ids that the relay has acknowledged to their sender. */
  readonly acknowledged: { id: string; author: string }[] = []
  readonly #underWay = new Set<Promise<void>>()
  readonly #answering = new Tally()
  #count = 0
  #stopped = false

  constructor(random: SeededRandom, stage: Stage) {
    this.#random = random
    this.#stage = stage
  }

  stop(): void {
    this.#stopped = true
  }

  /** Until this many more deeds are answered, however slow the machine is. */
  async goesOn(count: number): Promise<void> {
    await this.#answering.more(count)
  }

  burst(): void {
    const busiest = this.#random.next() < 0.5 ? this.#random.of(this.#stage.actors) : undefined
    for (const actor of this.#stage.actors) {
      const deeds = actor === busiest ? WIDE_BURST : BURST
      for (let count = 0; count < deeds; count++) void this.#begin(this.#any(actor))
    }
  }

  /** The acknowledged deeds in the chat where messages last, and the messages where they disappear. */
  counts() {
    const entries = [...this.lasting.entries.values()]
    const acknowledged = (values: { acknowledged: readonly string[] }[]) =>
      values.flatMap(value => value.acknowledged).length
    return {
      messages: entries.length,
      edits: acknowledged(entries.map(entry => entry.words)),
      erased: acknowledged(entries.map(entry => entry.presence)),
      reactions: acknowledged(entries.flatMap(entry => [...entry.reactions.values()])),
      brief: this.brief.entries.size,
    }
  }

  /** Some messages get a reaction immediately, while messages sent with them are still in flight. */
  hear(actor: Actor, told: Told): void {
    this.#stage.told.get(actor)?.push(told)
    if (told.type !== 'message' || !told.message) return
    const entry = this.#bookOf(told.chat_id).meet(told.message, told.message.from?.id ?? '')
    if (!this.#stopped && this.#random.next() < 0.3) void this.#begin(this.#react(actor, told.chat_id, entry))
  }

  async run(actor: Actor): Promise<void> {
    const inFlight = new Set<Promise<void>>()
    while (!this.#stopped) {
      const work = this.#begin(this.#any(actor)).finally(() => inFlight.delete(work))
      inFlight.add(work)
      if (inFlight.size >= IN_FLIGHT_MAX) await Promise.race(inFlight)
      await pause(this.#random.below(60))
    }
    await Promise.all(this.#underWay)
  }

  #begin(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => {
      this.#underWay.delete(tracked)
      this.#answering.add()
    })
    this.#underWay.add(tracked)
    return tracked
  }

  #bookOf(chat: string): DeedBook {
    return chat === this.#stage.brief ? this.brief : this.lasting
  }

  async #any(actor: Actor): Promise<void> {
    const { lasting, brief } = this.#stage
    const chance = this.#random.next()
    if (chance < 0.08) return void (await actor.act({ kind: 'read', chat: brief }))
    const chat = chance < 0.3 ? brief : lasting
    const recent = [...this.#bookOf(chat).entries.values()].slice(-RECENT)
    const own = recent.filter(entry => entry.author === actor.id)
    const entry = recent.length > 0 ? this.#random.of(recent) : undefined
    const mine = own.length > 0 ? this.#random.of(own) : undefined
    const deed = this.#random.next()
    if (deed < 0.35 && mine) return await this.#edit(actor, chat, mine)
    if (deed < 0.45 && mine && chat === lasting) return await this.#erase(actor, mine)
    if (deed < 0.7 && entry) return await this.#react(actor, chat, entry)
    await this.#say(actor, chat)
  }

  async #say(actor: Actor, chat: string): Promise<void> {
    const text = `${actor.name} ${++this.#count}`
    const outcome = await actor.act({ kind: 'say', chat, text })
    if (outcome.kind !== 'done') return
    const { id } = outcome.ok as { id: string }
    this.acknowledged.push({ id, author: actor.id })
    this.#bookOf(chat).meet({ id, text }, actor.id)
  }

  async #edit(actor: Actor, chat: string, entry: Entry): Promise<void> {
    const text = `${actor.name} ${++this.#count} edited`
    await this.#change(actor, entry, { kind: 'edit', chat, message: entry.id, text })
  }

  async #erase(actor: Actor, entry: Entry): Promise<void> {
    await this.#change(actor, entry, { kind: 'erase', chat: this.#stage.lasting, message: entry.id })
  }

  async #react(actor: Actor, chat: string, entry: Entry): Promise<void> {
    await this.#change(actor, entry, { kind: 'react', chat, message: entry.id, emoji: this.#random.of(EMOJI) })
  }

  async #change(actor: Actor, entry: Entry, deed: Deed): Promise<void> {
    const what = deed.kind === 'react' ? actor.id : 'words'
    if (entry.busy.has(what) || entry.presence.acknowledged.length > 0) return
    entry.busy.add(what)
    entry.take(deed, actor.id, await actor.act(deed))
    entry.busy.delete(what)
  }
}
