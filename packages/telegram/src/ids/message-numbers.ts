// The integers of messages: a counter for each chat. Some libraries keep 32 bits, so a time would not fit.
import type { Client, RecordChange, Records } from '@postern/core'
import { type ChatId, type Clock, clientLimits, gatewayLimits } from '@postern/protocol'

/** `ids`: the event ids that had been skipped. `holes`: the numbers around each skip, in their order. */
type Skips = { ids: number; holes: (readonly [last: number, next: number])[] }

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

  /** Durable when it resolves: the number must never belong to another message. `id` may be that of an event. */
  async of(chat: ChatId, id: string): Promise<number> {
    const known = this.#find({ chat, id })
    if (known !== undefined) return known
    await this.#untilNewest()
    return await this.#records.transact(change => this.#assign({ chat, id }, change))
  }

  /** Gives numbers to those of the list that have none, in its order and in one transaction. */
  async assign(messages: readonly MessageRef[]): Promise<void> {
    const missing = messages.filter(message => this.#find(message) === undefined)
    if (missing.length === 0) return
    await this.#untilNewest()
    await this.#records.transact(change => {
      for (const message of missing) this.#assign(message, change)
    })
  }

  idOf(chat: ChatId, number: number): string | undefined {
    return this.#records.get(`${chat} ${number}`)
  }

  /** In a backup, the next number may be one that was given to another message since. */
  async #untilNewest(): Promise<void> {
    await this.#client.whenNewest({ timeoutMs: gatewayLimits.telegramNumberWithinMs })
  }

  #find(message: MessageRef): number | undefined {
    const key = keyOf(message)
    const known = this.#known.get(key) ?? this.#stored(key)
    if (known === undefined) return undefined
    if (this.#known.size >= gatewayLimits.telegramNumbersInMemoryMax) this.#known.clear()
    this.#known.set(key, known)
    return known
  }

  #stored(key: string): number | undefined {
    const number = this.#records.get(key)
    return number === undefined ? undefined : Number(number)
  }

  /** Within a transaction, which may be rolled back: nothing is remembered here. */
  #assign({ chat, id }: MessageRef, change: (...changes: RecordChange[]) => void): number {
    const known = this.#stored(keyOf({ chat, id }))
    if (known !== undefined) return known
    const newest = Number(this.#records.get(`${chat} newest`) ?? 0)
    const { skips: before, number } = this.#next(chat, newest)
    const forgotten = numberBehind(number, before.holes)
    const skips = { ...before, holes: before.holes.filter(([last]) => last >= forgotten) }
    change(
      { key: `${chat} newest`, put: String(number) },
      { key: `${chat} ${number}`, put: id },
      { key: keyOf({ chat, id }), put: String(number) },
      ...(skips.ids === 0 ? [] : [{ key: `${chat} skips`, put: JSON.stringify(skips) }]),
      ...this.#forget(chat, forgotten),
    )
    return number
  }

  /** Behind every number that another life of this database can have given. */
  #next(chat: ChatId, newest: number): { skips: Skips; number: number } {
    const stored = this.#records.get(`${chat} skips`)
    const skips = stored === undefined ? { ids: 0, holes: [] } : (JSON.parse(stored) as Skips)
    const ids = this.#client.journal.skipped()
    if (ids === skips.ids) return { skips, number: newest + 1 }
    const skipped = { ids: ids - skips.ids, nowMs: this.#clock.nowMs() }
    const number = numberAfterSkip(newest, skipped) + 1
    const holes = [...skips.holes, [newest, number] as const].slice(-gatewayLimits.telegramSkipsMax)
    return { skips: { ids, holes }, number }
  }

  /** Otherwise the numbers of a busy chat would fill the disk. */
  #forget(chat: ChatId, number: number): RecordChange[] {
    const id = this.idOf(chat, number)
    if (id === undefined) return []
    this.#known.delete(keyOf({ chat, id }))
    return [`${chat} ${number}`, keyOf({ chat, id })].map(key => ({ key, remove: true }))
  }
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
