// The integers of messages: a counter for each chat. Some libraries keep 32 bits, so a time would not fit.
import type { Client, RecordChange, Records } from '@postern/core'
import { type ChatId, type Clock, clientLimits, gatewayLimits } from '@postern/protocol'

/** `ids`: the event ids that had been skipped. `holes`: the numbers around each skip, in their order. */
type Skips = { ids: number; holes: (readonly [last: number, next: number])[] }

/** `next`: the number that the next message of the chat gets. */
type ChatCounter = { next: number; skips: Skips }

/** `id` may be that of an event. */
export type MessageRef = { chat: ChatId; id: string }

export class MessageNumbers {
  readonly #client: Client
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #records: Records
  /** In memory, by the keys of their records: the numbers that were read last. */
  readonly #known = new Map<string, number>()

  constructor(client: Client, clock: Pick<Clock, 'nowMs'>) {
    this.#client = client
    this.#clock = clock
    this.#records = client.records('telegram-messages')
  }

  /** `undefined`: not assigned yet. `id` may be that of an event. */
  find(message: MessageRef): number | undefined {
    const key = keyOf(message)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const stored = this.#stored(key)
    if (stored !== undefined) this.#remember(key, stored)
    return stored
  }

  /**
   * Gives numbers to those of the list that have none, in its order and in one transaction.
   * Durable when it resolves: a number must never belong to another message.
   */
  async assign(messages: readonly MessageRef[]): Promise<void> {
    if (messages.length === 0) return
    await this.#untilNewest()
    const numbers = await this.#records.transact(change => this.#assignIn(messages, change))
    for (const [key, number] of numbers) this.#remember(key, number)
  }

  idOf(chat: ChatId, number: number): string | undefined {
    return this.#records.get(`${chat} ${number}`)
  }

  /** In a backup, the next number may be one that was given to another message since. */
  async #untilNewest(): Promise<void> {
    await this.#client.whenNewest({ timeoutMs: gatewayLimits.telegramNumberWithinMs })
  }

  #remember(key: string, number: number): void {
    if (this.#known.size >= gatewayLimits.telegramNumbersInMemoryMax) this.#known.clear()
    this.#known.set(key, number)
  }

  #stored(key: string): number | undefined {
    const number = this.#records.get(key)
    return number === undefined ? undefined : Number(number)
  }

  /** Within a transaction, which may be rolled back: nothing is remembered here. By the keys of their records. */
  #assignIn(messages: readonly MessageRef[], change: (...changes: RecordChange[]) => void): Map<string, number> {
    const numbers = new Map<string, number>()
    const counters = new Map<ChatId, ChatCounter>()
    for (const { chat, id } of messages) {
      const key = keyOf({ chat, id })
      const known = numbers.get(key) ?? this.#stored(key)
      if (known !== undefined) {
        numbers.set(key, known)
        continue
      }
      const counter = counters.get(chat) ?? this.#counterOf(chat)
      const number = counter.next++
      counters.set(chat, counter)
      numbers.set(key, number)
      change({ key: `${chat} ${number}`, put: id }, { key, put: String(number) })
      change(...this.#forget(chat, numberBehind(number, counter.skips.holes)))
    }
    for (const [chat, counter] of counters) change(...changesOf(chat, counter))
    return numbers
  }

  /** Behind every number that another life of this database can have given. */
  #counterOf(chat: ChatId): ChatCounter {
    const newest = Number(this.#records.get(`${chat} newest`) ?? 0)
    const stored = this.#records.get(`${chat} skips`)
    const skips = stored === undefined ? { ids: 0, holes: [] } : (JSON.parse(stored) as Skips)
    const ids = this.#client.journal.skipped()
    if (ids === skips.ids) return { skips, next: newest + 1 }
    const skipped = { ids: ids - skips.ids, nowMs: this.#clock.nowMs() }
    const next = numberAfterSkip(newest, skipped) + 1
    const holes = [...skips.holes, [newest, next] as const].slice(-gatewayLimits.telegramSkipsMax)
    return { skips: { ids, holes }, next }
  }

  /** Otherwise the numbers of a busy chat would fill the disk. */
  #forget(chat: ChatId, number: number): RecordChange[] {
    const id = number > 0 ? this.idOf(chat, number) : undefined
    if (id === undefined) return []
    this.#known.delete(keyOf({ chat, id }))
    return [`${chat} ${number}`, keyOf({ chat, id })].map(key => ({ key, remove: true }))
  }
}

function changesOf(chat: ChatId, { next, skips }: ChatCounter): RecordChange[] {
  const newest = next - 1
  const forgotten = numberBehind(newest, skips.holes)
  const holes = skips.holes.filter(([last]) => last >= forgotten)
  return [
    { key: `${chat} newest`, put: String(newest) },
    ...(skips.ids === 0 ? [] : [{ key: `${chat} skips`, put: JSON.stringify({ ...skips, holes }) }]),
  ]
}

const keyOf = ({ chat, id }: MessageRef): string => `${chat} ${id}`

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
