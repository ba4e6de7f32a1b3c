// Erases messages that contain a hook's address for everyone, soon after their owner reads them and within a day.
import type { Message } from '@postern/bot-api/objects'
import type { Client, Log, Records } from '@postern/core'
import {
  type ChatId,
  type Clock,
  faultFields,
  hookLimits,
  isCoded,
  type MessageId,
  type Timer,
} from '@postern/protocol'

const PREFIX = 'erase/'

/** In elapsed time, independent of the machine's clock. */
type Noted = { chat: ChatId; message: MessageId; sinceMs: number; readMs?: number }

export type EraserParts = { client: Client; records: Records; clock: Clock; log: Log }

export class AddressEraser {
  readonly #parts: EraserParts
  #timer: Timer | undefined
  #looking: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: EraserParts) {
    this.#parts = parts
  }

  /** Resumes with messages that were noted before a restart. */
  start(): void {
    if (this.#noted().length > 0) this.#look()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#looking
  }

  /** Durable when it resolves. A message that is already noted keeps its time. */
  async note({ id, chat_id }: Pick<Message, 'id' | 'chat_id'>): Promise<void> {
    const { client, records } = this.#parts
    if (records.get(PREFIX + id) !== undefined) return
    await this.#keep({ chat: chat_id, message: id, sinceMs: client.elapsed.nowMs() })
    this.#lookLater()
  }

  #look(): void {
    this.#timer = undefined
    this.#looking = this.#lookAtAll().catch((error: unknown) => {
      if (isCoded(error, 'stopping') || this.#isStopped) return
      this.#parts.log.warn(faultFields(error), 'hook addresses not erased; will retry')
      this.#lookLater()
    })
  }

  async #lookAtAll(): Promise<void> {
    for (const noted of this.#noted()) await this.#lookAt(noted)
    if (this.#noted().length > 0) this.#lookLater()
  }

  #lookLater(): void {
    if (this.#isStopped || this.#timer) return
    this.#timer = this.#parts.clock.setTimer(hookLimits.addressLookEveryMs, () => this.#look())
  }

  async #lookAt(noted: Noted): Promise<void> {
    const nowMs = this.#parts.client.elapsed.nowMs()
    const shown = this.#shown(noted)
    if (!shown) return await this.#forget(noted)
    const isRead = shown.status === 'read'
    const known = isRead && noted.readMs === undefined ? { ...noted, readMs: nowMs } : noted
    if (known !== noted) await this.#keep(known)
    if (isDue(known, nowMs)) await this.#erase(known)
  }

  async #erase(noted: Noted): Promise<void> {
    const { client, log } = this.#parts
    const { chat, message } = noted
    const within = { timeoutMs: hookLimits.answerWithinMs }
    try {
      await client.messages.delete(chat, { message, for: 'all' }, within)
    } catch (error) {
      // The bot is no longer in the chat: the others keep their copies, and ours is deleted.
      if (isCoded(error, 'chat-left', 'chat-is-request'))
        await client.messages.delete(chat, { message, for: 'me' }, within)
      else if (!isCoded(error, 'message-not-found', 'chat-not-found'))
        return log.debug(faultFields(error), 'hook address not erased yet')
    }
    await this.#forget(noted)
  }

  /** Undefined when the message is gone: deleted or expired. */
  #shown({ chat, message }: Noted): Message | undefined {
    try {
      return this.#parts.client.messages.get(chat, message)
    } catch (error) {
      if (isCoded(error, 'message-not-found', 'chat-not-found')) return undefined
      throw error
    }
  }

  #noted(): Noted[] {
    return this.#parts.records
      .all()
      .filter(({ key }) => key.startsWith(PREFIX))
      .map(({ value }) => JSON.parse(value) as Noted)
  }

  async #keep(noted: Noted): Promise<void> {
    await this.#parts.records.change({ key: PREFIX + noted.message, put: JSON.stringify(noted) })
  }

  async #forget({ message }: Noted): Promise<void> {
    await this.#parts.records.change({ key: PREFIX + message, remove: true })
  }
}

const isDue = ({ sinceMs, readMs }: Noted, nowMs: number): boolean =>
  nowMs >= sinceMs + hookLimits.addressKeptMs ||
  (readMs !== undefined && nowMs >= readMs + hookLimits.addressAfterReadMs)
