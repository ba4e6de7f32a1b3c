// Named readers: further cursors on the journal, beside the queue without a name. Each is polled or streamed.
import type { UpdateReader } from '@postern/bot-api/objects'
import type { DroppedCounts, Journal, Log } from '@postern/core'
import { type EventChoice, type EventTypes, type NamedReader, NamedReaders, ownedName } from '@postern/core/node'
import { type Clock, gatewayLimits, utf8 } from '@postern/protocol'
import type { Access } from '../access.ts'
import { ReaderDelivery } from '../queue/reader-delivery.ts'
import { ReaderQueue } from '../queue/reader-queue.ts'
import type { UpdateQueue } from '../queue/update-queue.ts'
import { BriefReaders, CONSOLE } from './brief-readers.ts'
import { LongPoll, type PollCaller, type PollOptions } from './long-poll.ts'
import { type StreamOptions, streamUpdates } from './stream.ts'
import { UpdateWaits } from './update-waits.ts'

/** The reader of a request, and where it begins if it is new. */
export type ReaderUse = EventChoice & { name: string; from: 'now' | 'oldest' }

type TokenOf = Pick<Access, 'token' | 'chats'>

/** A token that is limited to chats has readers of its own: it can neither see nor move those of others. */
export const readerPlaceOf = (name: string, { token, chats }: TokenOf): string =>
  chats && token !== undefined ? ownedName(token, name) : name

/** The owner, if there is one, and the name that callers use. */
function partsOf(place: string): { token?: string; name: string } {
  const [name = '', token] = place.split('/').reverse()
  return { name, ...(token !== undefined && { token }) }
}

const places = { max: gatewayLimits.readerWaitsMax, what: 'polls and streams of named readers are waiting' }

export type UpdateReadersOptions = {
  clock: Clock
  log: Log
  /** With the console, the readers of its name are removed once nobody streams them. */
  console: 'on' | 'off'
}

export class UpdateReaders {
  readonly #journal: Journal
  readonly #clock: Clock
  readonly #hasConsole: boolean
  readonly #readers: NamedReaders
  readonly #waits: UpdateWaits
  readonly #brief: BriefReaders
  /** The names of the readers of all open streams. */
  readonly #streams: string[] = []

  constructor(journal: Journal, { clock, log, console }: UpdateReadersOptions) {
    this.#journal = journal
    this.#clock = clock
    this.#hasConsole = console === 'on'
    this.#readers = new NamedReaders(journal)
    this.#waits = new UpdateWaits(journal, { ...places, clock })
    this.#brief = new BriefReaders(this.#readers, {
      clock,
      log,
      isStreamed: name => this.#streams.includes(name),
      remove: name => this.remove(name),
    })
  }

  get streams(): number {
    return this.#streams.length
  }

  /** Those of the token alone, if it is limited to chats; otherwise all of them. */
  list({ token, chats }: TokenOf): UpdateReader[] {
    const all = this.#readers.list().filter(({ name }) => !chats || partsOf(name).token === token)
    return all.map(reader => this.#shown(reader))
  }

  /** The JSON array of updates. */
  async poll(poll: PollOptions, use: ReaderUse, caller: PollCaller): Promise<Uint8Array> {
    await this.open(use)
    return await this.#polled(use).answer(poll, caller)
  }

  /**
   * For a caller that writes before it answers: the confirmation is part of that write. The caller awaits `durable`
   * before it answers.
   */
  async pollAhead({ offset, ...poll }: PollOptions, use: ReaderUse, caller: PollCaller): Promise<Uint8Array> {
    await this.open(use)
    await this.#readers.confirmSoon(use.name, offset - 1)
    return await this.#polled(use).next(poll, caller)
  }

  /** Resolves when every confirmation is on the disk. */
  async durable(): Promise<void> {
    await this.#readers.durable()
  }

  /** The JSON array at this moment; nothing is created or confirmed. */
  peek(page: Omit<PollOptions, 'timeoutMs'>, use: ReaderUse): Uint8Array {
    return this.#readers.find(use.name) ? this.#polled(use).peek(page) : utf8('[]')
  }

  /** How many updates the reader has lost since it last confirmed one. */
  dropped(name: string): number {
    return this.#readers.find(name)?.dropped ?? 0
  }

  /** The queue without a name, for a caller that reads only these types of it. */
  partOf(queue: UpdateQueue, types: EventTypes): ReaderQueue {
    return new ReaderQueue(queue, { journal: this.#journal, readers: this.#readers, types })
  }

  /** The updates of a reader, to be posted to an address. */
  delivery(name: string): ReaderDelivery {
    return new ReaderDelivery(name, { journal: this.#journal, readers: this.#readers })
  }

  /** Creates the reader at its first use. */
  async open({ name, types, chats, from }: ReaderUse): Promise<void> {
    const max = chats ? gatewayLimits.readersOfTokenMax : gatewayLimits.readersMax
    const isBrief = this.#hasConsole && partsOf(name).name === CONSOLE
    await this.#readers.open(name, { types, chats, from, max, isBrief })
    if (isBrief) this.#brief.used(name)
  }

  async *stream(options: StreamOptions, gone: AbortSignal): AsyncGenerator<Uint8Array> {
    const parts = { journal: this.#journal, readers: this.#readers, waits: this.#waits, clock: this.#clock }
    const { reader } = options
    this.#streams.push(reader)
    try {
      yield* streamUpdates(options, parts, gone)
    } finally {
      this.#streams.splice(this.#streams.indexOf(reader), 1)
      this.#brief.used(reader)
    }
  }

  async confirm(name: string, offset: number): Promise<UpdateReader> {
    await this.#readers.confirm(name, offset - 1)
    return this.#shown(this.#readers.get(name))
  }

  /** Its polls get an error, and its streams end. */
  async remove(name: string): Promise<void> {
    await this.#readers.remove(name)
    this.#waits.wake()
  }

  /** Removes the readers of tokens that are no more. */
  async tidy(isToken: (id: string) => boolean): Promise<void> {
    for (const { name } of this.#readers.list()) {
      const { token } = partsOf(name)
      if (token !== undefined && !isToken(token)) await this.remove(name)
    }
  }

  /** Skips updates that are too old or too many for a reader, and returns their counts. */
  async drop(limits: { olderThanTs: number; keepMax: number }): Promise<DroppedCounts> {
    const lost: DroppedCounts = { tooOld: 0, tooMany: 0 }
    for (const reader of this.#readers.list()) {
      const oldestTs = this.#readers.oldestTs(reader)
      const isFull = this.#journal.newest() - reader.confirmed > limits.keepMax
      if (oldestTs === undefined || (!isFull && oldestTs >= limits.olderThanTs)) continue
      const { tooOld, tooMany } = await this.#readers.drop(reader.name, limits)
      // It has shown them: a console confirms nothing.
      if (reader.isBrief) continue
      lost.tooOld += tooOld
      lost.tooMany += tooMany
    }
    // A waiting stream must report it.
    if (lost.tooOld + lost.tooMany > 0) this.#waits.wake()
    return lost
  }

  onAppend(listener: () => void): () => void {
    return this.#journal.onAppend(listener)
  }

  /** At the stop: ends all waits and streams. */
  release(): void {
    this.#brief.stop()
    this.#waits.release()
  }

  #polled({ name, types, chats }: ReaderUse): LongPoll {
    const queue = ReaderQueue.ofReader(name, { journal: this.#journal, readers: this.#readers, types, chats })
    return new LongPoll(queue, this.#clock, this.#waits)
  }

  #shown(reader: NamedReader): UpdateReader {
    const { confirmed, types, dropped } = reader
    return {
      ...partsOf(reader.name),
      offset: confirmed + 1,
      pending: this.#readers.pending(reader),
      dropped,
      ...(types && { types: types as UpdateReader['types'] }),
    }
  }
}
