// The queue of outgoing messages: durable, in order within a chat, and each message once.
import type { Client, Records } from '@postern/core'
import {
  appLimits,
  type ChatId,
  type Clock,
  inBackground,
  type Log,
  SEND_ID_BYTES,
  sendIdFromBytes,
} from '@postern/protocol'
import type { OutgoingMessage, OutgoingState } from '../../contract/objects.ts'
import { AppError, faultOf } from '../app-error.ts'
import { lenient, RecordMap } from '../record-map.ts'
import type { Touch } from '../topics.ts'
import { inOrder, outgoingRow, type QueuedBody, type QueuedRow, type RowUnderKey } from './outgoing-row.ts'
import { isForgotten, type RowSending, type SendOutcome, sendKey, sendRow } from './send-outgoing.ts'
import { type FileSource, WaitingFiles } from './waiting-files.ts'

type Parts = { client: Client; clock: Clock; log: Log; touch: Touch; onSent: () => void }
export type NewOutgoing = { key: string; chat: ChatId; body: QueuedBody; bytes?: FileSource }

export class OutgoingQueue {
  readonly #parts: Parts
  readonly #rows: RecordMap<QueuedRow>
  /** The rows in progress, by key. Everything else about a row is in its record. */
  readonly #atWork = new Map<string, OutgoingState>()
  readonly #files: WaitingFiles
  /** Files whose message is not on its way yet. */
  readonly #uploads = new Map<string, AbortController>()
  readonly #driven = new Set<ChatId>()
  readonly #doubted = new Set<string>()
  /** Rows whose record a power failure could still lose: they went out immediately, and core's outbox keeps them. */
  readonly #soft = new Set<string>()
  readonly #forgetConnection: () => void
  #place: number
  #isStopped = false

  constructor(records: Records, parts: Parts) {
    this.#parts = parts
    this.#rows = new RecordMap(records, {
      read: lenient(value => outgoingRow(value, 'outgoing')),
      onChange: () => parts.touch('outgoing'),
    })
    this.#place = Math.max(0, ...this.#rows.entries().map(([, { place }]) => place))
    // The worker that tried them is gone, and its answers with it.
    for (const [key, { triedMs }] of this.#rows.entries()) if (triedMs !== undefined) this.#doubted.add(key)
    this.#files = new WaitingFiles(parts)
    this.#files.sweep(key => this.#rows.get(key) !== undefined)
    this.#forgetConnection = parts.client.onConnectionChange(() => this.driveAll())
  }

  /**
   * A message that has to wait is durable, with its file, when this resolves. A message that goes out immediately is
   * durable before the relay receives it: its record is in the log before that of core's outbox, for which core waits.
   * Repeated under its key it is queued once, also when it has gone out.
   */
  async add(asked: NewOutgoing): Promise<void> {
    const { key, chat, bytes } = asked
    const before = this.#rows.get(key)
    if (this.#parts.client.messages.wasSent(key) || (before && (!bytes || this.#files.has(key)))) return
    if (!before && this.#rows.entries().length >= appLimits.outgoingMax) throw new AppError('outgoing-full')
    const goesAtOnce = !before && !bytes && this.#isClear(chat)
    try {
      if (goesAtOnce) await this.#putSoft(key, this.#newRow(asked))
      else await this.#putDurably(asked, before ? this.#triedAnew(key, before) : this.#newRow(asked))
    } catch (error) {
      this.#atWork.delete(key)
      // Taken back meanwhile: that was the wish.
      if (!this.#rows.get(key)) return
      await this.#forget(key)
      throw error
    } finally {
      this.#drive(chat)
    }
  }

  /** Whether nothing is before a new message: it goes out as soon as it is stored. */
  #isClear(chat: ChatId): boolean {
    return !this.#isStopped && this.#parts.client.isOnline && inOrder(this.#all(), chat).length === 0
  }

  /** Marked as tried in the same write: whatever happens then, the next worker asks core for the outcome. */
  async #putSoft(key: string, row: QueuedRow): Promise<void> {
    this.#soft.add(key)
    this.#work(key, { kind: 'sending' })
    await this.#rows.putSoon(key, { ...row, triedMs: this.#parts.client.elapsed.nowMs() })
  }

  /** In one step with its file: a message written after a large one must not overtake it. */
  async #putDurably({ key, bytes }: NewOutgoing, row: QueuedRow): Promise<void> {
    await Promise.all([this.#rows.put(key, row), bytes && this.#files.keep(key, bytes)])
  }

  #newRow({ chat, body }: NewOutgoing): QueuedRow {
    const send = sendIdFromBytes(crypto.getRandomValues(new Uint8Array(SEND_ID_BYTES)))
    return { chat, place: ++this.#place, madeMs: this.#parts.clock.nowMs(), body, renewed: 0, send }
  }

  /** A message that is already in the history is not shown again: its record may go a moment after its message came. */
  in(chat: string): OutgoingMessage[] {
    return inOrder(this.#shown(), chat).map(({ key, row }) => ({
      key,
      chat: row.chat,
      madeMs: row.madeMs,
      body: row.body,
      state: this.#stateOf({ key, row }),
    }))
  }

  /** For every chat with waiting messages. Messages that go out immediately would change the list twice each. */
  counts(): Map<string, { waiting: number; refused: boolean }> {
    const counts = new Map<string, { waiting: number; refused: boolean }>()
    for (const { row } of this.#shown().filter(({ key }) => !this.#soft.has(key))) {
      const { waiting, refused } = counts.get(row.chat) ?? { waiting: 0, refused: false }
      counts.set(row.chat, { waiting: waiting + 1, refused: refused || row.refused !== undefined })
    }
    return counts
  }

  async takeBack(key: string): Promise<void> {
    const row = this.#rows.get(key)
    if (!row) throw new AppError('outgoing-unknown')
    if (this.#isUnderWay(key)) throw new AppError('outgoing-under-way')
    await this.#forget(key)
    this.#drive(row.chat)
  }

  /** The chat was cleared: only messages that the relay may have already are still sent. */
  async dropIn(chat: ChatId): Promise<void> {
    const rows = inOrder(this.#all(), chat).filter(({ key }) => !this.#isUnderWay(key))
    await Promise.all(rows.map(({ key }) => this.#forget(key)))
    this.#drive(chat)
  }

  /** The relay may have it already, or will in a moment. */
  #isUnderWay(key: string): boolean {
    return !this.#uploads.has(key) && (this.#atWork.has(key) || this.#doubted.has(key))
  }

  async retry(key: string): Promise<void> {
    const row = this.#rows.get(key)
    if (!row) throw new AppError('outgoing-unknown')
    if (row.refused) await this.#rows.put(key, this.#triedAnew(key, row))
    this.#drive(row.chat)
  }

  /** After a backup it is unknown what was sent since: each waits for the person's decision. */
  async holdBack(): Promise<void> {
    const refused = faultOf(new AppError('outgoing-from-backup'))
    const waiting = this.#all().filter(({ row }) => !row.refused)
    await Promise.all(waiting.map(({ key, row }) => this.#rows.put(key, { ...row, refused })))
  }

  /** After a day in doubt core has forgotten the message: the person has decided, and it goes out as a new one. */
  #triedAnew(key: string, { refused: _refused, ...row }: QueuedRow): QueuedRow {
    if (row.triedMs === undefined) return row
    const { triedMs, ...untried } = row
    if (isForgotten(this.#parts.client, row)) return { ...untried, renewed: row.renewed + 1 }
    this.#doubted.add(key)
    return { ...untried, triedMs }
  }

  driveAll(): void {
    this.#parts.touch('outgoing')
    for (const chat of new Set(this.#rows.entries().map(([, row]) => row.chat))) this.#drive(chat)
  }

  stop(): void {
    this.#isStopped = true
    this.#forgetConnection()
  }

  /** One at a time for each chat, in order; different chats concurrently. */
  #drive(chat: ChatId): void {
    if (this.#driven.has(chat) || this.#isStopped) return
    this.#driven.add(chat)
    const over = this.#driveOn(chat).finally(() => this.#driven.delete(chat))
    inBackground(over, { what: 'what waits in a chat could not be sent', log: this.#parts.log })
  }

  async #driveOn(chat: ChatId): Promise<void> {
    for (;;) {
      const [first] = inOrder(this.#all(), chat)
      if (!first || this.#isHeld(first) || this.#files.isKeeping(first.key)) return
      if (this.#isStopped || !this.#parts.client.isOnline) return await this.#wait(first.key)
      const outcome = await this.#try(first)
      if (outcome === 'later') return this.#driveLater(chat)
    }
  }

  /** A row that has gone out after all is no longer shown: refused, it must not stop later ones. */
  #isHeld(under: RowUnderKey): boolean {
    return under.row.refused !== undefined && !this.#wasSent(under)
  }

  async #try(under: RowUnderKey): Promise<'on' | 'later'> {
    const { key } = under
    if (this.#wasSent(under)) return await this.#settle(key, { kind: 'gone' })
    const isDoubted = this.#doubted.has(key)
    this.#work(key, isDoubted ? { kind: 'doubt' } : { kind: 'sending' })
    try {
      return await this.#settle(key, await sendRow(this.#sending(under, isDoubted)))
    } finally {
      this.#atWork.delete(key)
      this.#uploads.delete(key)
      this.#parts.touch('outgoing')
    }
  }

  /** It could not be sent immediately: from here on it waits like all others, and can be taken back. */
  async #wait(key: string): Promise<void> {
    if (this.#atWork.delete(key)) this.#parts.touch('outgoing')
    await this.#harden(key)
  }

  async #harden(key: string): Promise<void> {
    const row = this.#rows.get(key)
    if (this.#soft.delete(key) && row) await this.#rows.put(key, row)
  }

  #sending({ key, row }: RowUnderKey, isDoubted: boolean): RowSending {
    const upload = new AbortController()
    if (row.body.kind === 'file' && !isDoubted) this.#beginUpload(key, upload)
    return {
      client: this.#parts.client,
      key,
      row,
      isDoubted,
      source: () => this.#files.read(key),
      signal: upload.signal,
      onUploaded: () => void (this.#uploads.delete(key) && this.#work(key, { kind: 'sending' })),
      note: noted => this.#rows.putSoon(key, noted),
      onBytes: sentBytes => void (this.#uploads.has(key) && this.#work(key, { kind: 'sending', sentBytes })),
    }
  }

  #beginUpload(key: string, upload: AbortController): void {
    this.#uploads.set(key, upload)
    this.#work(key, { kind: 'sending', sentBytes: 0 })
  }

  async #settle(key: string, outcome: SendOutcome): Promise<'on' | 'later'> {
    this.#doubted.delete(key)
    switch (outcome.kind) {
      case 'gone':
        this.#parts.onSent()
        await this.#forget(key)
        return 'on'
      case 'unsent':
        await this.#harden(key)
        return 'later'
      case 'doubt':
        this.#doubted.add(key)
        await this.#harden(key)
        return 'later'
      case 'refused': {
        this.#soft.delete(key)
        const row = this.#rows.get(key)
        if (row) await this.#rows.put(key, { ...row, refused: faultOf(outcome.error) })
        return 'on'
      }
    }
  }

  /** After a lost connection the next one continues; otherwise after a pause, so that the retries are limited. */
  #driveLater(chat: ChatId): void {
    const { clock, client } = this.#parts
    if (client.isOnline) clock.setTimer(appLimits.outgoingRetryMs, () => this.#drive(chat))
  }

  #work(key: string, state: OutgoingState): void {
    this.#atWork.set(key, state)
    this.#parts.touch('outgoing')
  }

  async #forget(key: string): Promise<void> {
    this.#uploads.get(key)?.abort(new AppError('outgoing-unknown'))
    this.#soft.delete(key)
    await this.#rows.remove(key)
    await this.#files.drop(key)
  }

  #stateOf({ key, row }: RowUnderKey): OutgoingState {
    if (row.refused) return { kind: 'refused', fault: row.refused }
    return this.#atWork.get(key) ?? { kind: this.#doubted.has(key) ? 'doubt' : 'waiting' }
  }

  #shown(): RowUnderKey[] {
    return this.#all().filter(under => !this.#wasSent(under))
  }

  #wasSent({ key, row }: RowUnderKey): boolean {
    return row.triedMs !== undefined && this.#parts.client.messages.wasSent(sendKey(key, row))
  }

  #all(): RowUnderKey[] {
    return this.#rows.entries().map(([key, row]) => ({ key, row }))
  }
}
