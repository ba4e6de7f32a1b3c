// The integers of messages: a counter for each chat. Some libraries keep 32 bits, so a time would not fit.
import type { Client, RecordChange, Records } from '@postern/core'
import { type ChatId, type Clock, clientLimits, gatewayLimits, SerialQueue } from '@postern/protocol'

/** `ids`: the event ids that had been skipped. `holes`: the numbers around each skip, in their order. */
type Skips = { ids: number; holes: (readonly [last: number, next: number])[] }

export class MessageNumbers {
  readonly #client: Client
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #records: Records
  readonly #writes = new SerialQueue()

  constructor(client: Client, clock: Pick<Clock, 'nowMs'>) {
    this.#client = client
    this.#clock = clock
    this.#records = client.records('telegram-messages')
  }

  /** Durable when it resolves: the number must never belong to another message. `id` may be that of an event. */
  async of(chat: ChatId, id: string): Promise<number> {
    const known = this.#find(chat, id)
    if (known !== undefined) return known
    // In a backup, the next number may be one that was given to another message since.
    await this.#client.whenNewest({ timeoutMs: gatewayLimits.telegramNumberWithinMs })
    return await this.#writes.run(() => this.#assign(chat, id))
  }

  idOf(chat: ChatId, number: number): string | undefined {
    return this.#records.get(`${chat} ${number}`)
  }

  #find(chat: ChatId, id: string): number | undefined {
    const number = this.#records.get(`${chat} ${id}`)
    return number === undefined ? undefined : Number(number)
  }

  async #assign(chat: ChatId, id: string): Promise<number> {
    const known = this.#find(chat, id)
    if (known !== undefined) return known
    const newest = Number(this.#records.get(`${chat} newest`) ?? 0)
    const { skips: before, number } = this.#next(chat, newest)
    const forgotten = numberBehind(number, before.holes)
    const skips = { ...before, holes: before.holes.filter(([last]) => last >= forgotten) }
    await this.#records.change(
      { key: `${chat} newest`, put: String(number) },
      { key: `${chat} ${number}`, put: id },
      { key: `${chat} ${id}`, put: String(number) },
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
    return [`${chat} ${number}`, `${chat} ${id}`].map(key => ({ key, remove: true }))
  }
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
