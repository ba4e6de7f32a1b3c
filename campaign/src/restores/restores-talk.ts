// The texts that people and the bot say while parts are restored, and the texts that each of them shows.
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit'
import type { PersonProcess } from '@postern/testkit/processes'
import { BOT, type TalkChat } from '../power/power-world.ts'
import type { RestorablePart } from './restorable-part.ts'
import type { RestoresWorld } from './restores-world.ts'

export type Said = { chat: TalkChat; from: string; text: string; isAcknowledged: boolean }

const PAUSE_MS_MAX = 400
const RENAME_EVERY = 12
const LOOK_EVERY_MS = 200
/**
 * After this time without the message being shown, the next one is sent: a restored client cannot read messages under
 * keys that it has lost.
 */
const SHOWN_WITHIN_MS = 3000
/** A process that ends meanwhile answers nothing. */
const ANSWER_WITHIN_MS = 30_000

export class RestoresTalk {
  readonly #world: RestoresWorld
  readonly #random: SeededRandom
  readonly said: Said[] = []
  /** Answers of the gateway with status 500. */
  readonly faults: string[] = []
  /** By member and text. */
  readonly #shown = new Set<string>()
  #isStopped = false

  constructor(world: RestoresWorld, random: SeededRandom) {
    this.#world = world
    this.#random = random
  }

  stop(): void {
    this.#isStopped = true
  }

  async run(): Promise<void> {
    await Promise.all(this.#world.clients.map(({ name }) => this.#speak(name)))
  }

  /** True once every member of every chat has shown a new text of every other member. */
  async goesOn(endMs: number): Promise<boolean> {
    const speakers = this.#world.chats.flatMap(chat => [...chat.of.keys()].map(from => ({ chat, from })))
    const heard = await Promise.all(speakers.map(speaker => this.#isHeard(speaker, endMs)))
    return heard.every(Boolean)
  }

  /** Returns what is still missing at the end of the time: "text for member". */
  async missing(said: readonly Said[], endMs: number): Promise<string[]> {
    for (;;) {
      const isOver = Date.now() > endMs
      const missing = said.flatMap(({ chat, text }) =>
        [...chat.of.keys()].filter(name => !this.#shown.has(`${name} ${text}`)).map(name => ({ chat, text, name })),
      )
      if (missing.length === 0 || isOver) return missing.map(({ text, name }) => `"${text}" for ${name}`)
      await Promise.all([...new Set(missing.map(({ name }) => name))].map(name => this.#look(name)))
      await pause(LOOK_EVERY_MS)
    }
  }

  async #isHeard({ chat, from }: { chat: TalkChat; from: string }, endMs: number): Promise<boolean> {
    while (Date.now() < endMs) {
      const said = await this.#say(chat, from)
      const tryEndMs = Date.now() + SHOWN_WITHIN_MS
      if (said.isAcknowledged && (await this.missing([said], tryEndMs)).length === 0) return true
      await pause(LOOK_EVERY_MS)
    }
    return false
  }

  async #look(name: string): Promise<void> {
    const chats = this.#world.chats.flatMap(({ of }) => of.get(name) ?? [])
    for (const chat of chats)
      for (const { text } of await this.#newest(name, chat)) this.#shown.add(`${name} ${text ?? ''}`)
  }

  async #newest(name: string, chat: string): Promise<{ text?: string }[]> {
    if (name === BOT) return await this.#world.bot.newest(chat)
    const answer = await ask(this.#person(name), 'messages', { chat, limit: 100 })
    return (answer as { text?: string }[] | undefined) ?? []
  }

  async #speak(name: string): Promise<void> {
    const chats = this.#world.chats.filter(({ of }) => of.has(name))
    for (let count = 1; !this.#isStopped; count++) {
      if (name !== BOT && count % RENAME_EVERY === 0) await this.#rename(name, `name ${count} by ${name}`)
      await this.#say(this.#random.of(chats), name)
      await pause(this.#random.below(PAUSE_MS_MAX))
    }
  }

  /** Once: a sender that repeats a text after a restore of its client may send it twice. */
  async #say(chat: TalkChat, from: string): Promise<Said> {
    const said: Said = { chat, from, text: `${from} ${this.said.length}`, isAcknowledged: false }
    this.said.push(said)
    const id = chat.of.get(from) ?? ''
    said.isAcknowledged =
      from === BOT
        ? await this.#asBot(`/v1/chats/${id}/messages`, said.text)
        : (await ask(this.#person(from), 'send', { chat: id, text: said.text })) !== undefined
    return said
  }

  /** New keys for the group. A refusal while the chat heals is in order. */
  async #rename(name: string, title: string): Promise<void> {
    const group = this.#world.chats[0]?.of.get(name) ?? ''
    await ask(this.#person(name), 'rename', { chat: group, name: title })
  }

  async #asBot(path: string, text: string): Promise<boolean> {
    const answer = await this.#world.bot.ask({ method: 'POST', path, body: { text } })
    if (answer?.status === 500) this.faults.push(`500 to ${path}: ${JSON.stringify(answer.body)}`)
    return answer !== undefined && answer.status < 300
  }

  #person(name: string): RestorablePart<PersonProcess> {
    const person = this.#world.people.find(part => part.name === name)
    if (!person) throw new TypeError(name)
    return person
  }
}

/** Undefined when it was refused, or is in doubt. */
async function ask({ process }: RestorablePart<PersonProcess>, command: string, fields: object): Promise<unknown> {
  const asked = process.ready().then(() => process.ask(command, fields))
  const answer = await Promise.race([asked.catch(() => undefined), pause(ANSWER_WITHIN_MS, undefined, { ref: false })])
  return answer?.kind === 'ok' ? (answer.ok ?? true) : undefined
}
