// How the numbers of messages are stored: in blocks of consecutive ones, so that many new numbers are few records.
import type { RecordChange, Records } from '@postern/core'
import { type ChatId, gatewayLimits } from '@postern/protocol'

/** The ids of a block's numbers, in their order. A number that was skipped has none. */
type Block = (string | null)[]

const { telegramNumbersPerBlock: PER_BLOCK, telegramNumberMax } = gatewayLimits

export const blockOf = (number: number): number => Math.floor(number / PER_BLOCK)

export const lastOf = (block: number): number => (block + 1) * PER_BLOCK - 1

const LAST_BLOCK = blockOf(telegramNumberMax)
const DIGITS = String(LAST_BLOCK).length

/** The keys of a chat are in the order of its blocks. */
const keyOf = (chat: ChatId, block: number): string => `${chat} block ${String(block).padStart(DIGITS, '0')}`

export class NumberBlocks {
  readonly #records: Records

  constructor(records: Records) {
    this.#records = records
  }

  idOf(chat: ChatId, number: number): string | undefined {
    if (number < 0 || number > telegramNumberMax) return undefined
    return this.#read(keyOf(chat, blockOf(number)))[number % PER_BLOCK] ?? undefined
  }

  /** The ids of a chat with their numbers, in their order: those in the block of this number and in later ones. */
  since(chat: ChatId, number: number): Map<string, number> {
    const numbers = new Map<string, number>()
    for (const { key, value } of this.#records.between(keyOf(chat, blockOf(number)), keyOf(chat, LAST_BLOCK))) {
      const start = Number(key.slice(-DIGITS)) * PER_BLOCK
      for (const [at, id] of (JSON.parse(value) as Block).entries()) if (id !== null) numbers.set(id, start + at)
    }
    return numbers
  }

  /** The changes that store these numbers of a chat. */
  changesToStore(chat: ChatId, numbers: ReadonlyMap<string, number>): RecordChange[] {
    const blocks = new Map<string, Block>()
    for (const [id, number] of numbers) {
      const key = keyOf(chat, blockOf(number))
      const block = blocks.get(key) ?? this.#read(key)
      block[number % PER_BLOCK] = id
      blocks.set(key, block)
    }
    return [...blocks].map(([key, block]) => ({ key, put: JSON.stringify(block) }))
  }

  changeToForget(chat: ChatId, block: number): RecordChange {
    return { key: keyOf(chat, block), remove: true }
  }

  #read(key: string): Block {
    const stored = this.#records.get(key)
    return stored === undefined ? [] : (JSON.parse(stored) as Block)
  }
}
