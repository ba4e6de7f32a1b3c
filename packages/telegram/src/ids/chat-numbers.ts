// The integers of accounts and chats: derived from their ids, so that they are the same after a restore.
import { hash } from 'node:crypto'
import type { Chat } from '@postern/bot-api/objects'
import type { Client, Records } from '@postern/core'
import { type ChatId, isChatId, SerialQueue } from '@postern/protocol'
import { badRequest } from '../telegram-error.ts'

/** Telegram promises fewer than 52 bits. */
const NUMBER_BITS = 51n
const HASH_BITS = 64n

/** The number that an id has unless another id has it already. */
export function derivedNumber(id: string): number {
  const bits = hash('sha256', id, 'buffer').readBigUInt64BE() >> (HASH_BITS - NUMBER_BITS)
  return Number(bits) || 1
}

/** Groups are negative. The number of a private chat is that of the person. */
type Numbered = { id: string; isGroup?: boolean }

export class ChatNumbers {
  readonly #client: Client
  readonly #records: Records
  readonly #writes = new SerialQueue()

  constructor(client: Client) {
    this.#client = client
    this.#records = client.records('telegram-chats')
  }

  /** Durable when it resolves: a configuration file may name it for years. */
  async of({ id, isGroup = false }: Numbered): Promise<number> {
    const known = this.#find(id)
    const magnitude = known ?? (await this.#writes.run(() => this.#assign(id)))
    return isGroup ? -magnitude : magnitude
  }

  async ofChat(chat: Pick<Chat, 'id' | 'type'>): Promise<number> {
    return await this.of({ id: chat.id, isGroup: chat.type === 'group' })
  }

  /** The id with this number, or the id itself. Throws if there is neither. */
  resolve(text: string): ChatId {
    if (isChatId(text)) return text
    if (!/^-?\d{1,16}$/.test(text)) throw badRequest('chat not found')
    const isGroup = text.startsWith('-')
    const id = this.#records.get(`n${Math.abs(Number(text))}`) ?? this.#derive(Number(text))
    if (id === undefined || !isChatId(id) || isGroup !== this.#isGroup(id)) throw badRequest('chat not found')
    return id
  }

  /** `undefined`: not assigned yet. */
  #find(id: string): number | undefined {
    const moved = this.#records.get(`i${id}`)
    if (moved !== undefined) return Number(moved)
    const number = derivedNumber(id)
    return this.#records.get(`n${number}`) === id ? number : undefined
  }

  async #assign(id: string): Promise<number> {
    const known = this.#find(id)
    if (known !== undefined) return known
    let number = derivedNumber(id)
    const isDerived = this.#records.get(`n${number}`) === undefined
    while (this.#records.get(`n${number}`) !== undefined) number += 1
    const here = { key: `n${number}`, put: id }
    await this.#records.change(here, ...(isDerived ? [] : [{ key: `i${id}`, put: String(number) }]))
    return number
  }

  /** After a restore without our records: chats and people are still known, and their numbers follow from their ids. */
  #derive(number: number): string | undefined {
    const chats = this.#client.chats.list()
    const ids = chats.flatMap(({ id, members }) => [id, ...members.map(member => member.id)])
    return ids.find(id => derivedNumber(id) === Math.abs(number))
  }

  /** The id of an account has more bytes than that of a group. */
  #isGroup(id: ChatId): boolean {
    return id.length < this.#client.account.length
  }
}
