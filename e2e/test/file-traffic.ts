// People and a bot who constantly send and fetch files, vote in polls and press buttons, and keep a book of it.
import { createHash, randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit/random'
import { expect } from 'vitest'
import { Value } from './deed-book.ts'
import type { FileActor, FileBot, Presser } from './file-actors.ts'
import type { Outcome } from './killable-actors.ts'
import { Tally } from './tally.ts'

const IN_FLIGHT_MAX = 3
const RECENT = 8
const FILE_BYTES_MAX = 4_000_000
export const OPTIONS = ['first', 'second', 'third']
const BUTTONS = [
  [
    { text: 'A', data: 'a' },
    { text: 'B', data: 'b' },
  ],
]

export type Stage = { bot: FileBot; people: Presser[]; chat: string; desk: string }

class SentFile {
  readonly id: string
  readonly author: string
  readonly presence = new Value('there')

  constructor(id: string, author: string) {
    this.id = id
    this.author = author
  }
}

class AskedPoll {
  readonly id: string
  readonly author: string
  readonly state = new Value('open')
  readonly votes = new Map<string, Value>()
  /** One vote of each person at a time, so that the order of the acknowledgements is the order of the votes. */
  readonly busy = new Set<string>()

  constructor(id: string, author: string) {
    this.id = id
    this.author = author
  }

  voteOf(account: string): Value {
    const value = this.votes.get(account) ?? new Value('[]')
    this.votes.set(account, value)
    return value
  }
}

/** A press: the number of tries, and the acknowledged ids. */
type Pressed = { tries: number; acknowledged: string[] }

export class FileTraffic {
  readonly #random: SeededRandom
  readonly #stage: Stage
  readonly files = new Map<string, SentFile>()
  readonly polls = new Map<string, AskedPoll>()
  readonly shown: string[] = []
  /** Under message, data and presser. */
  readonly presses = new Map<string, Pressed>()
  readonly answers = new Map<string, Value>()
  fetched = 0
  /** With a description of each. */
  readonly #underWay = new Map<Promise<void>, string>()
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

  async run(actor: FileActor): Promise<void> {
    const inFlight = new Set<Promise<void>>()
    while (!this.#stopped) {
      const work = this.#any(actor).finally(() => inFlight.delete(work))
      inFlight.add(work)
      if (inFlight.size >= IN_FLIGHT_MAX) await Promise.race(inFlight)
      await pause(this.#random.below(100))
    }
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.keys())
  }

  /** Until this many more deeds are answered, however slow the machine is. */
  async goesOn(count: number): Promise<void> {
    await this.#answering.more(count)
  }

  /** Deeds without an answer. */
  get underWay(): string[] {
    return [...this.#underWay.values()]
  }

  /** Everybody sends a file and fetches one. */
  burst(): void {
    for (const actor of this.#actors) {
      void this.#begin(`${actor.name} sends`, this.#send(actor))
      void this.#begin(`${actor.name} fetches`, this.#fetch(actor))
    }
  }

  /** The bot received a press. */
  answer(press: string): void {
    void this.#begin('the bot answers', this.#answer(press))
  }

  get #actors(): FileActor[] {
    return [this.#stage.bot, ...this.#stage.people]
  }

  #begin(what: string, work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => {
      this.#underWay.delete(tracked)
      this.#answering.add()
    })
    this.#underWay.set(tracked, what)
    return tracked
  }

  #any(actor: FileActor): Promise<void> {
    const chance = this.#random.next()
    const { name } = actor
    if (chance < 0.12) return this.#begin(`${name} sends`, this.#send(actor))
    if (chance < 0.27) return this.#begin(`${name} fetches`, this.#fetch(actor))
    if (chance < 0.32) return this.#begin(`${name} erases`, this.#erase(actor))
    if (chance < 0.44) return this.#begin(`${name} asks`, this.#ask(actor))
    if (chance < 0.7) return this.#begin(`${name} votes`, this.#vote(actor))
    if (chance < 0.74) return this.#begin(`${name} closes`, this.#close(actor))
    if (actor === this.#stage.bot) return this.#begin('the bot shows', this.#show())
    return this.#begin(`${name} presses`, this.#press(actor as Presser))
  }

  #recent<T>(all: Iterable<T>): T | undefined {
    const recent = [...all].slice(-RECENT)
    return recent.length > 0 ? this.#random.of(recent) : undefined
  }

  /** Its name describes its content: everybody who sees it can tell whether it is complete. */
  async #send(actor: FileActor): Promise<void> {
    const bytes = randomBytes(1 + this.#random.below(FILE_BYTES_MAX))
    const path = join(this.#stage.desk, `${createHash('sha256').update(bytes).digest('hex')}.bin`)
    writeFileSync(path, bytes)
    const id = idIn(await actor.sendFile(this.#stage.chat, path))
    rmSync(path)
    if (id) this.files.set(id, new SentFile(id, actor.id))
  }

  async #fetch(actor: FileActor): Promise<void> {
    const file = this.#recent(this.files.values())
    if (!file) return
    const { chat } = this.#stage
    const digest = await actor.fetchFile(chat, file.id)
    if (digest === undefined) return
    this.fetched += 1
    const name = (await actor.list(chat).catch(() => [])).find(({ id }) => id === file.id)?.file?.name
    if (name) expect(`${digest}.bin`, `bytes of ${file.id}`).toBe(name)
  }

  async #erase(actor: FileActor): Promise<void> {
    const file = this.#recent([...this.files.values()].filter(({ author }) => author === actor.id))
    if (!file || file.presence.acknowledged.length > 0) return
    const outcome = await actor.act({ kind: 'erase', chat: this.#stage.chat, message: file.id })
    file.presence.take('gone', outcome)
  }

  async #ask(actor: FileActor): Promise<void> {
    const question = `${actor.name} asks ${++this.#count}`
    const id = idIn(await actor.act({ kind: 'poll', chat: this.#stage.chat, question, options: OPTIONS }))
    if (id) this.polls.set(id, new AskedPoll(id, actor.id))
  }

  async #vote(actor: FileActor): Promise<void> {
    const poll = this.#recent(this.polls.values())
    if (!poll || poll.busy.has(actor.id)) return
    poll.busy.add(actor.id)
    const options = this.#random.next() < 0.2 ? [] : [this.#random.below(OPTIONS.length)]
    const outcome = await actor.act({ kind: 'vote', chat: this.#stage.chat, message: poll.id, options })
    poll.voteOf(actor.id).take(JSON.stringify(options), outcome)
    poll.busy.delete(actor.id)
  }

  async #close(actor: FileActor): Promise<void> {
    const poll = this.#recent([...this.polls.values()].filter(({ author }) => author === actor.id))
    if (!poll) return
    poll.state.take('closed', await actor.act({ kind: 'close', chat: this.#stage.chat, message: poll.id }))
  }

  async #show(): Promise<void> {
    const id = idIn(await this.#stage.bot.show(this.#stage.chat, BUTTONS))
    if (id) this.shown.push(id)
  }

  async #press(presser: Presser): Promise<void> {
    const message = this.#recent(this.shown)
    if (!message) return
    const data = this.#random.of(['a', 'b'])
    const key = `${message} ${data} ${presser.id}`
    const pressed = this.presses.get(key) ?? { tries: 0, acknowledged: [] }
    this.presses.set(key, pressed)
    pressed.tries += 1
    const outcome = await presser.press({ chat: this.#stage.chat, message, data })
    if (outcome.kind === 'done') pressed.acknowledged.push((outcome.ok as { press_id: string }).press_id)
  }

  async #answer(press: string): Promise<void> {
    const text = `answer ${++this.#count}`
    const value = new Value('')
    this.answers.set(press, value)
    value.take(text, await this.#stage.bot.answer(press, text))
  }
}

const idIn = (outcome: Outcome): string | undefined =>
  outcome.kind === 'done' ? (outcome.ok as { id: string }).id : undefined
