// The constant traffic of everybody: send, edit, delete, react, send files, read.
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit'
import type { Book, Tried } from './book.ts'
import type { Doer } from './doers.ts'
import type { Room, Rooms } from './rooms.ts'

const RECENT = 10
const EMOJI = ['👍', '🎉', '🙈', '']
const FILE_BYTES_MAX = 200_000

/** A message whose id somebody knows. */
type Known = { id: string; tag: string; room: Room; by: Doer; busy: Set<string> }
export type SentFile = { id: string; tag: string; room: Room; sha256: string }
export type TalkOptions = { book: Book; rooms: Rooms; random: SeededRandom; folder: string }

export class Talk {
  readonly #options: TalkOptions
  readonly #known: Known[] = []
  readonly files: SentFile[] = []
  #stopped = false

  constructor(options: TalkOptions) {
    this.#options = options
  }

  stop(): void {
    this.#stopped = true
  }

  /** Until it is stopped; several deeds of one actor may be in flight. */
  async run(doer: Doer, everyMs: number): Promise<void> {
    const underWay = new Set<Promise<void>>()
    while (!this.#stopped) {
      const work = this.#deed(doer).finally(() => underWay.delete(work))
      underWay.add(work)
      if (underWay.size >= 4) await Promise.race(underWay)
      await pause(this.#options.random.below(everyMs))
    }
    await Promise.all(underWay)
  }

  async #deed(doer: Doer): Promise<void> {
    const { random, rooms } = this.#options
    const room = random.next() < 0.15 ? rooms.brief : random.of(rooms.lasting)
    if (!room.members.includes(doer)) return
    if (room.isBrief) return await this.#brief(doer, room)
    const recent = this.#known.filter(known => known.room === room).slice(-RECENT)
    const own = recent.filter(known => known.by === doer)
    const chance = random.next()
    if (chance < 0.15 && own.length > 0) return await this.#edit(doer, random.of(own))
    if (chance < 0.2 && own.length > 0) return await this.#erase(doer, random.of(own))
    if (chance < 0.35 && recent.length > 0) return await this.#react(doer, random.of(recent))
    if (chance < 0.4) return await this.#file(doer, room)
    if (chance < 0.5) return await read(doer, room)
    await this.#text(doer, room, random.next() < 0.4)
  }

  async #text(doer: Doer, room: Room, isKeyed: boolean): Promise<void> {
    const { book } = this.#options
    const tag = book.nextTag()
    const text = `${tag} of ${doer.name}`
    const chat = room.chatOf(doer)
    if (doer.kind === 'bot' && isKeyed) {
      const call = { path: `chats/${chat}/messages`, json: { text }, key: `key-${tag}` }
      const tried = await book.say({ kind: 'keyed', tag, room: room.name, by: doer.name }, () => doer.insist(call))
      return this.#learn(tried, { tag, room, by: doer })
    }
    const send = () =>
      doer.kind === 'bot'
        ? doer.call<{ id: string }>({ path: `chats/${chat}/messages`, json: { text } })
        : doer.do<{ id: string }>('send', { chat, text })
    this.#learn(await book.say({ kind: 'text', tag, room: room.name, by: doer.name }, send), { tag, room, by: doer })
  }

  #learn({ ok }: Tried<{ id?: string }>, known: Omit<Known, 'id' | 'busy'>): void {
    if (ok?.id !== undefined) this.#known.push({ ...known, id: ok.id, busy: new Set() })
    if (this.#known.length > 1000) this.#known.splice(0, 500)
  }

  async #brief(doer: Doer, room: Room): Promise<void> {
    const { book, random } = this.#options
    if (random.next() < 0.4) return await read(doer, room)
    const tag = book.nextTag()
    const chat = room.chatOf(doer)
    const json = { text: `${tag} will be gone` }
    await book.say({ kind: 'brief', tag, room: room.name, by: doer.name }, () =>
      doer.kind === 'bot'
        ? doer.call<{ id: string }>({ path: `chats/${chat}/messages`, json })
        : doer.do<{ id: string }>('send', { chat, ...json }),
    )
  }

  /** One at a time for each item that changes, so that the order of the answers is the order of the deeds. */
  async #alone(known: Known, what: string, act: () => Promise<unknown>): Promise<void> {
    if (known.busy.has(what) || this.#options.book.gone.has(known.tag)) return
    known.busy.add(what)
    await act()
    known.busy.delete(what)
  }

  async #edit(doer: Doer, known: Known): Promise<void> {
    const { book } = this.#options
    await this.#alone(known, 'words', async () => {
      const value = book.valueOf('edit', `words of ${known.id}`, `${known.tag} of ${doer.name}`)
      const text = `${known.tag} edited ${value.changes.length + 1}`
      value.where = whereOf(known, doer)
      const chat = known.room.chatOf(doer)
      await book.change(value, text, () =>
        doer.kind === 'bot'
          ? doer.call({ method: 'PATCH', path: `chats/${chat}/messages/${known.id}`, json: { text } })
          : doer.do('edit', { chat, message: known.id, text }),
      )
    })
  }

  async #erase(doer: Doer, known: Known): Promise<void> {
    const { book } = this.#options
    await this.#alone(known, 'words', async () => {
      const chat = known.room.chatOf(doer)
      const value = book.valueOf('delete', `presence of ${known.id}`, 'there')
      value.where = whereOf(known, doer)
      book.gone.add(known.tag)
      await book.change(value, 'gone', () =>
        doer.kind === 'bot'
          ? doer.call({ method: 'DELETE', path: `chats/${chat}/messages/${known.id}` })
          : doer.do('delete', { chat, message: known.id, for: 'all' }),
      )
    })
  }

  async #react(doer: Doer, known: Known): Promise<void> {
    const { book, random } = this.#options
    const emoji = random.of(EMOJI)
    await this.#alone(known, doer.name, async () => {
      const chat = known.room.chatOf(doer)
      const path = `chats/${chat}/messages/${known.id}/reaction`
      const value = book.valueOf('reaction', `reaction of ${doer.id} to ${known.id}`, '')
      value.where = whereOf(known, doer)
      await book.change(value, emoji, () => {
        if (doer.kind === 'person') return doer.do('react', { chat, message: known.id, emoji })
        return emoji === ''
          ? doer.call({ method: 'DELETE', path })
          : doer.call({ method: 'PUT', path, json: { emoji } })
      })
    })
  }

  async #file(doer: Doer, room: Room): Promise<void> {
    const { book, random, folder } = this.#options
    const tag = book.nextTag()
    const bytes = randomBytes(random.below(FILE_BYTES_MAX))
    const path = join(folder, `${tag}.bin`)
    writeFileSync(path, bytes)
    const chat = room.chatOf(doer)
    const form = new FormData()
    form.append('caption', `${tag} is a file`)
    form.append('file', new Blob([bytes]), `${tag}.bin`)
    const send = () =>
      doer.kind === 'bot'
        ? doer.call<{ id: string }>({ path: `chats/${chat}/files`, body: form })
        : doer.do<{ id: string }>('file', { chat, path, caption: `${tag} is a file` })
    const { ok } = await book.say({ kind: 'file', tag, room: room.name, by: doer.name }, send)
    if (ok?.id !== undefined)
      this.files.push({ id: ok.id, tag, room, sha256: createHash('sha256').update(bytes).digest('hex') })
  }
}

const whereOf = ({ room, tag }: Known, { name }: Doer) => ({ room: room.name, by: name, tag })

export async function read(doer: Doer, room: Room): Promise<void> {
  const chat = room.chatOf(doer)
  if (doer.kind === 'bot') await doer.call({ path: `chats/${chat}/read`, json: {} })
  else await doer.do('read', { chat })
}
