// The integers of accounts and chats: derived from their ids, so that they are the same after a restore.
import { hash } from 'node:crypto'
import type { Client, RecordChange, Records } from '@postern/core'
import { type ChatId, gatewayLimits, isChatId } from '@postern/protocol'
import { badRequest } from '../telegram-error.ts'

/** Telegram promises fewer than 52 bits. */
const NUMBER_BITS = 51n
const HASH_BITS = 64n

/** The number that an id has unless another id has it already. */
export function derivedNumber(id: string): number {
  const bits = hash('sha256', id, 'buffer').readBigUInt64BE() >> (HASH_BITS - NUMBER_BITS)
  return Number(bits) || 1
}

export class ChatNumbers {
  readonly #client: Client
  readonly #records: Records
  /** In memory: they never change, and each update names several. */
  readonly #known = new Map<string, number>()

  constructor(client: Client) {
    this.#client = client
    this.#records = client.records('telegram-chats')
  }

  /** `undefined`: not assigned yet. The number of a group is its negative one. */
  find(id: string): number | undefined {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const stored = this.#stored(id)
    if (stored === undefined) return undefined
    if (this.#known.size >= gatewayLimits.telegramChatNumbersInMemoryMax) this.#known.clear()
    this.#known.set(id, stored)
    return stored
  }

  /**
   * Gives numbers to those of the list that have none, in one transaction.
   * Durable when it resolves: a configuration file may name one for years.
   */
  async assign(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#records.transact(change => {
      for (const id of ids) this.#assign(id, change)
    })
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

  #stored(id: string): number | undefined {
    const moved = this.#records.get(`i${id}`)
    if (moved !== undefined) return Number(moved)
    const number = derivedNumber(id)
    return this.#records.get(`n${number}`) === id ? number : undefined
  }

  /** Within a transaction, which may be rolled back: nothing is remembered here. */
  #assign(id: string, change: (...changes: RecordChange[]) => void): void {
    if (this.#stored(id) !== undefined) return
    let number = derivedNumber(id)
    const isDerived = this.#records.get(`n${number}`) === undefined
    while (this.#records.get(`n${number}`) !== undefined) number += 1
    change({ key: `n${number}`, put: id })
    if (!isDerived) change({ key: `i${id}`, put: String(number) })
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
