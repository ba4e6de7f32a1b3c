// A group whose members and title change: every change gives it new keys.
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit'
import type { Seen } from '../check/check-changes.ts'
import type { Changed } from '../check/deeds.ts'
import type { Book } from './book.ts'
import type { BotDoer, PersonDoer } from './doers.ts'
import type { Room } from './rooms.ts'

type ShownChat = { name: string; members: { id: string }[] }
export type MembersOptions = { book: Book; random: SeededRandom; room: Room; admin: PersonDoer; guest: PersonDoer }

export class Members {
  readonly #options: MembersOptions
  #stopped = false
  #count = 0

  constructor(options: MembersOptions) {
    this.#options = options
  }

  stop(): void {
    this.#stopped = true
  }

  async run(): Promise<void> {
    const { random } = this.#options
    while (!this.#stopped) {
      await (random.next() < 0.5 ? this.#move() : this.#rename())
      await pause(500 + random.below(2500))
    }
  }

  #place() {
    const { room, admin, guest } = this.#options
    return this.#value('member', `place of ${guest.id} in ${room.chatOf(admin)}`, 'out')
  }

  #title() {
    const { room, admin } = this.#options
    return this.#value('title', `title of ${room.chatOf(admin)}`, 'moving')
  }

  #value(kind: string, what: string, first: string): Changed {
    const { book, room, admin } = this.#options
    return Object.assign(book.valueOf(kind, what, first), { where: { room: room.name, by: admin.name } })
  }

  async #move(): Promise<void> {
    const { book, random, room, admin, guest } = this.#options
    const where = random.of(['in', 'out'])
    const command = where === 'in' ? 'add' : 'remove'
    const fields = { chat: room.chatOf(admin), members: [guest.id] }
    await book.change(this.#place(), where, () => admin.do(command, fields))
  }

  async #rename(): Promise<void> {
    const { book, room, admin } = this.#options
    const name = `title ${++this.#count}`
    await book.change(this.#title(), name, () => admin.do('rename', { chat: room.chatOf(admin), name }))
  }

  async seen(bot: BotDoer): Promise<Seen[] | undefined> {
    const { room, guest } = this.#options
    const { ok } = await bot.call<ShownChat>({ method: 'GET', path: `chats/${room.chatOf(bot)}` })
    if (!ok) return undefined
    const where = ok.members.some(({ id }) => id === guest.id) ? 'in' : 'out'
    return [
      { ...this.#place(), shown: new Map([[bot.name, where]]) },
      { ...this.#title(), shown: new Map([[bot.name, ok.name]]) },
    ]
  }
}
