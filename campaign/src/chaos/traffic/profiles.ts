// Concurrent changes of a bot's profile: each field has one author, and all fields change at the same time.
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit'
import type { Seen } from '../check/check-changes.ts'
import type { Book } from './book.ts'
import type { BotDoer, Call } from './doers.ts'

type Field = 'name' | 'about' | 'commands'
type ShownBot = { name: string; about: string; commands: { name: string }[] }

const fields: Record<Field, (value: string) => Call> = {
  name: name => ({ method: 'PATCH', path: 'me', json: { name } }),
  about: about => ({ method: 'PATCH', path: 'me', json: { about } }),
  commands: name => ({ method: 'PUT', path: 'me/commands', json: { commands: [{ name, description: 'a command' }] } }),
}

export class Profiles {
  readonly #book: Book
  readonly #random: SeededRandom
  #stopped = false
  #count = 0

  constructor(book: Book, random: SeededRandom) {
    this.#book = book
    this.#random = random
  }

  stop(): void {
    this.#stopped = true
  }

  async run(bot: BotDoer): Promise<void> {
    let first: Record<Field, string> | undefined
    // Without the first value, every earlier value would look like a loss.
    while (!first && !this.#stopped) first = await shownProfile(bot)
    if (!first) return
    for (const field of Object.keys(fields) as Field[]) this.#book.valueOf('profile', nameOf(bot, field), first[field])
    while (!this.#stopped) {
      await Promise.all((Object.keys(fields) as Field[]).map(field => this.#change(bot, field)))
      await pause(this.#random.below(2000))
    }
  }

  async #change(bot: BotDoer, field: Field): Promise<void> {
    if (this.#random.next() < 0.3) return
    const value = `${field}${++this.#count}`
    const changed = this.#book.valueOf('profile', nameOf(bot, field), '')
    await this.#book.change(changed, value, () => bot.call(fields[field](value)))
  }

  /** The final values; undefined while they cannot be read. */
  async seen(bot: BotDoer): Promise<Seen[] | undefined> {
    const shown = await shownProfile(bot)
    return (
      shown &&
      (Object.keys(fields) as Field[]).map(field => ({
        ...this.#book.valueOf('profile', nameOf(bot, field), ''),
        shown: new Map([[bot.name, shown[field]]]),
      }))
    )
  }
}

const nameOf = (bot: BotDoer, field: Field): string => `${field} of ${bot.name}`

async function shownProfile(bot: BotDoer): Promise<Record<Field, string> | undefined> {
  const { ok } = await bot.call<ShownBot>({ method: 'GET', path: 'me' })
  return ok && { name: ok.name, about: ok.about, commands: ok.commands.map(({ name }) => name).join() }
}
