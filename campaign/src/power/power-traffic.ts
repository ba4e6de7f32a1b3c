// The actions of people and the bot while the power fails, and a book of the acknowledgements.
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit'
import type { PersonProcess } from '@postern/testkit/processes'
import type { MortalPart } from './mortal-part.ts'
import { BOT, type PowerWorld, type TalkChat } from './power-world.ts'

/** `id`: of the message, once it was acknowledged. */
export type Told = { chat: TalkChat; text: string; id: string | undefined; hasFile: boolean }
type Hook = { id: string; url: string }

const PAUSE_MS_MAX = 60
const RENAME_EVERY = 25

export class PowerTraffic {
  readonly #world: PowerWorld
  readonly #random: SeededRandom
  readonly told: Told[] = []
  /** Texts that were posted to a hook until it answered 200. */
  readonly posted: { text: string; hook: Hook }[] = []
  readonly hooks: Hook[] = []
  /** The bot's descriptions that were acknowledged, in their order. */
  readonly abouts: string[] = []
  #count = 0
  #isStopped = false

  constructor(world: PowerWorld, random: SeededRandom) {
    this.#world = world
    this.#random = random
  }

  stop(): void {
    this.#isStopped = true
  }

  async run(): Promise<void> {
    const { people } = this.#world
    await Promise.all([
      ...people.flatMap(person => [this.#loop(() => this.#say(person)), this.#loop(() => this.#say(person))]),
      this.#loop(() => this.#asBot()),
      this.#loop(() => this.#asBot()),
      this.#loop(() => this.#post()),
      this.#loop(() => this.#describe()),
    ])
  }

  async #loop(deed: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      await deed()
      await pause(this.#random.below(PAUSE_MS_MAX))
    }
  }

  #textOf(name: string): string {
    return `${name} ${++this.#count}`
  }

  #chatOf(name: string): { chat: TalkChat; id: string } {
    const chat = this.#random.of(this.#world.chats.filter(({ of }) => of.has(name)))
    return { chat, id: chat.of.get(name) ?? '' }
  }

  async #say({ name, process }: MortalPart<PersonProcess>): Promise<void> {
    const { chat, id } = this.#chatOf(name)
    const told: Told = { chat, text: this.#textOf(name), id: undefined, hasFile: false }
    this.told.push(told)
    if (this.#count % RENAME_EVERY === 0) await this.#rename(process)
    // Nobody reads or answers a line that is written between two lives.
    await process.ready()
    const answer = await process.ask('send', { chat: id, text: told.text })
    if (answer.kind === 'ok') told.id = (answer.ok as { id: string }).id
  }

  /** Keys of a new epoch, in flight when the power fails. */
  async #rename(process: PersonProcess): Promise<void> {
    const group = this.#world.chats[0]?.of.get(BOT)
    await process.ready()
    await process.ask('rename', { chat: group, name: `name ${this.#count}` })
  }

  async #asBot(): Promise<void> {
    const { chat, id } = this.#chatOf(BOT)
    const told: Told = { chat, text: this.#textOf('bot'), id: undefined, hasFile: this.#random.below(4) === 0 }
    this.told.push(told)
    const path = `/v1/chats/${id}/${told.hasFile ? 'files' : 'messages'}`
    const body = told.hasFile ? formOf(told.text) : { text: told.text }
    const message = await this.#world.bot.untilHeard<{ id: string }>({ method: 'POST', path, body, key: told.text })
    told.id = message.id
  }

  /** Like a sender that repeats a post until it is accepted. */
  async #post(): Promise<void> {
    if (this.hooks.length === 0 || this.#random.below(20) === 0) await this.#makeHook()
    const hook = this.#random.of(this.hooks)
    const text = this.#textOf('post')
    await this.#world.bot.untilHeard({ method: 'POST', path: new URL(hook.url).pathname, body: text, isOpen: true })
    this.posted.push({ text, hook })
    await pause(this.#random.below(10 * PAUSE_MS_MAX))
  }

  async #makeHook(): Promise<void> {
    const body = { chat_id: this.#world.chats[0]?.of.get(BOT), format: 'text' }
    this.hooks.push(await this.#world.bot.untilHeard<Hook>({ method: 'POST', path: '/v1/hooks', body }))
  }

  async #describe(): Promise<void> {
    const about = this.#textOf('about')
    await this.#world.bot.untilHeard({ method: 'PATCH', path: '/v1/me', body: { about } })
    this.abouts.push(about)
    await pause(this.#random.below(10 * PAUSE_MS_MAX))
  }
}

function formOf(text: string): FormData {
  const form = new FormData()
  form.set('file', new Blob([`the file of ${text}`]), 'words.txt')
  form.set('caption', text)
  return form
}
