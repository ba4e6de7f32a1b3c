// The integers of messages: a counter for each chat. Some libraries keep 32 bits, so a time would not fit.
import type { Client, RecordChange, Records } from '@postern/core'
import { type ChatId, type Clock, clientLimits, gatewayLimits, WeightedCache } from '@postern/protocol'
import { blockOf, lastOf, NumberBlocks } from './number-blocks.ts'

/** `ids`: the event ids that had been skipped. `holes`: the numbers around each skip, in their order. */
type Skips = { ids: number; holes: (readonly [last: number, next: number])[] }

/**
 * `next`: the number that the next message of the chat gets.
 * `behind`: the newest number that is older than those that are kept.
 */
type ChatCounter = { next: number; behind: number; skips: Skips }

/** `id` may be that of an event. */
export type MessageRef = { chat: ChatId; id: string }

/** An empty chat takes as much memory as this many numbers. */
const EMPTY_CHAT_WEIGHT = 4

/** All numbers of a chat when they were read last, in their order. */
type KnownNumbers = { newest: number; numbers: Map<string, number> }

export class MessageNumbers {
  readonly #client: Client
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #records: Records
  readonly #blocks: NumberBlocks
  readonly #known = new WeightedCache<ChatId, KnownNumbers>(gatewayLimits.telegramMessageNumbersInMemoryMax)

  constructor(client: Client, clock: Pick<Clock, 'nowMs'>) {
    this.#client = client
    this.#clock = clock
    this.#records = client.records('telegram-messages')
    this.#blocks = new NumberBlocks(this.#records)
  }

  /** `undefined`: not assigned yet. `id` may be that of an event. */
  find({ chat, id }: MessageRef): number | undefined {
    const known = this.#known.get(chat) ?? this.#read(chat)
    return known.numbers.get(id)
  }

  /**
   * Gives numbers to those of the list that have none, in its order and in one transaction.
   * Durable when it resolves: a number must never belong to another message.
   */
  async assign(messages: readonly MessageRef[]): Promise<void> {
    if (messages.length === 0) return
    await this.#untilNewest()
    const chats = await this.#records.transact(change => this.#assignIn(messages, change))
    for (const { chat, forgotten } of chats) this.#read(chat, forgotten)
  }

  idOf(chat: ChatId, number: number): string | undefined {
    return this.#blocks.idOf(chat, number)
  }

  /** In a backup, the next number may be one that was given to another message since. */
  async #untilNewest(): Promise<void> {
    await this.#client.whenNewest({ timeoutMs: gatewayLimits.telegramNumberWithinMs })
  }

  /** Into memory, so never within a transaction: it may be rolled back. */
  #read(chat: ChatId, forgotten = 0): KnownNumbers {
    const { numbers = new Map<string, number>(), newest = 0 } = this.#known.get(chat) ?? {}
    const newer = this.#blocks.since(chat, newest)
    for (const [id, number] of newer) numbers.set(id, number)
    for (const [id, number] of numbers) {
      if (number > forgotten) break
      numbers.delete(id)
    }
    const known = { newest: [...newer.values()].at(-1) ?? newest, numbers }
    this.#known.set(chat, known, numbers.size + EMPTY_CHAT_WEIGHT)
    return known
  }

  /** Within a transaction, which may be rolled back: nothing is remembered here. */
  #assignIn(messages: readonly MessageRef[], change: (...changes: RecordChange[]) => void): GivenNumbers[] {
    const chats = new Map<ChatId, GivenNumbers>()
    for (const { chat, id } of messages) {
      const given = chats.get(chat) ?? this.#givenIn(chat)
      chats.set(chat, given)
      given.give(id)
    }
    for (const given of chats.values()) change(...given.changes(this.#blocks))
    return [...chats.values()]
  }

  #givenIn(chat: ChatId): GivenNumbers {
    const known = this.#known.get(chat)
    // Another page may have given some since, in this transaction or before it.
    const newer = this.#blocks.since(chat, known?.newest ?? 0)
    return new GivenNumbers(chat, this.#counterOf(chat), id => newer.has(id) || known?.numbers.has(id) === true)
  }

  /** Behind every number that another life of this database can have given. */
  #counterOf(chat: ChatId): ChatCounter {
    const newest = Number(this.#records.get(`${chat} newest`) ?? 0)
    const stored = this.#records.get(`${chat} skips`)
    const skips = stored === undefined ? { ids: 0, holes: [] } : (JSON.parse(stored) as Skips)
    const behind = numberBehind(newest, skips.holes)
    const ids = this.#client.journal.skipped()
    if (ids === skips.ids) return { skips, behind, next: newest + 1 }
    const skipped = { ids: ids - skips.ids, nowMs: this.#clock.nowMs() }
    const next = numberAfterSkip(newest, skipped) + 1
    const holes = [...skips.holes, [newest, next] as const].slice(-gatewayLimits.telegramSkipsMax)
    return { skips: { ids, holes }, behind, next }
  }
}

/** The numbers that a transaction gives to messages of a chat. */
class GivenNumbers {
  readonly chat: ChatId
  readonly #has: (id: string) => boolean
  readonly #numbers = new Map<string, number>()
  readonly #forgottenBlocks: number[] = []
  #counter: ChatCounter

  constructor(chat: ChatId, counter: ChatCounter, has: (id: string) => boolean) {
    this.chat = chat
    this.#counter = counter
    this.#has = has
  }

  /** The newest number that no message has any more. */
  get forgotten(): number {
    const newest = this.#forgottenBlocks.at(-1)
    return newest === undefined ? 0 : lastOf(newest)
  }

  give(id: string): void {
    if (this.#has(id) || this.#numbers.has(id)) return
    const { next, skips, behind: before } = this.#counter
    const behind = numberBehind(next, skips.holes)
    // Otherwise the numbers of a busy chat would fill the disk.
    if (before > 0 && blockOf(before) < blockOf(behind)) this.#forgottenBlocks.push(blockOf(before))
    this.#numbers.set(id, next)
    this.#counter = { skips, behind, next: next + 1 }
  }

  changes(blocks: NumberBlocks): RecordChange[] {
    if (this.#numbers.size === 0) return []
    const forgotten = this.#forgottenBlocks.map(block => blocks.changeToForget(this.chat, block))
    return [...blocks.changesToStore(this.chat, this.#numbers), ...forgotten, ...changesOf(this.chat, this.#counter)]
  }
}

function changesOf(chat: ChatId, { next, skips, behind }: ChatCounter): RecordChange[] {
  const holes = skips.holes.filter(([last]) => last >= behind)
  return [
    { key: `${chat} newest`, put: String(next - 1) },
    ...(skips.ids === 0 ? [] : [{ key: `${chat} skips`, put: JSON.stringify({ ...skips, holes }) }]),
  ]
}

/** The number that the message had which is older than the newest ones that are kept. */
function numberBehind(number: number, holes: Skips['holes']): number {
  let behind = number - gatewayLimits.telegramMessagesPerChatMax
  for (const [last, next] of holes.toReversed()) if (behind < next) behind -= next - last - 1
  return behind
}

const NUMBERS_PER_ID = (1 + gatewayLimits.updatesKeptMax / clientLimits.updatesUnmarkedMax) * 2

/**
 * The number behind which no earlier life of this database has given any. A restore skips at least
 * `updatesUnmarkedMax` ids, so the numbers suffice for all that was forgotten and all that waited in the backup: an
 * event gives a number to its own message and to the one that it answers, at most.
 */
function numberAfterSkip(newest: number, { ids, nowMs }: { ids: number; nowMs: number }): number {
  const { telegramNumberMax, telegramSkippedPartMax } = gatewayLimits
  const byIds = ids * NUMBERS_PER_ID
  if (byIds <= (telegramNumberMax - newest) * telegramSkippedPartMax) return newest + byIds
  // The relay was restored, too, or lies: then the clock tells a later life from an earlier one, one number a second.
  const byClock = Math.floor((nowMs - clientLimits.updatesForgottenFromMs) / 1000)
  return Math.max(
    newest + clientLimits.updatesUnmarkedMax * NUMBERS_PER_ID,
    Math.min(byClock, Math.floor(telegramNumberMax / 2)),
  )
}
