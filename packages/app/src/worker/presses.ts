// The pressed buttons that wait for their bot: the same on every page, and over when the bot has answered in any way.
import type { Client, JournalEvent } from '@postern/core'
import { appLimits, type ChatId, type Clock, type MessageId, type PressId, type Timer, utf8 } from '@postern/protocol'
import type { Person, PressState } from '../contract/objects.ts'
import { AppError } from './app-error.ts'
import type { Touch } from './topics.ts'

type Parts = { client: Client; clock: Clock; touch: Touch }
type Pressing = {
  chat: ChatId
  data: string
  bot: Person
  state: PressState['state']
  timer: Timer
  id?: PressId
}
export type ButtonPress = { key: string; chat: ChatId; message: MessageId; data: string }

export class Presses {
  readonly #parts: Parts
  readonly #pressings = new Map<MessageId, Pressing>()
  /** The owners of the buttons: an answer names the press alone. */
  readonly #bots = new Map<PressId, Person>()
  /** Answers may arrive before the relay's confirmation of the press. */
  readonly #answered = new Set<PressId>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  in(chat: string): Record<string, PressState> {
    const pressed = [...this.#pressings].filter(([, pressing]) => pressing.chat === chat)
    return Object.fromEntries(pressed.map(([message, { data, state }]) => [message, { data, state }]))
  }

  /** A second press is refused until the first has its answer, or ten seconds have passed. */
  async press({ key, chat, message, data }: ButtonPress): Promise<void> {
    if (this.#pressings.get(message)?.state === 'pending') throw new AppError('press-pending')
    const { client } = this.#parts
    const bot = client.messages.get(chat, message).from
    const pressing: Pressing = { chat, data, bot, state: 'pending', timer: this.#patience(message) }
    this.#set(message, pressing)
    try {
      const idempotency = { key, request: utf8(JSON.stringify([chat, message, data])) }
      const id = await client.messages.press(
        chat,
        { message, data },
        { timeoutMs: appLimits.callTimeoutMs, idempotency },
      )
      this.#sent(message, { pressing, id })
    } catch (error) {
      this.#over(message, pressing)
      throw error
    }
  }

  /** Undefined when the press is unknown here. */
  botOf(press: PressId): Person | undefined {
    return this.#bots.get(press)
  }

  /** An edit of the message, a message of its bot, or the toast: whichever comes first. */
  hear(event: JournalEvent): void {
    if (event.type === 'toast') keepNewest(this.#answered.add(event.toast.press_id))
    for (const [message, pressing] of this.#pressings)
      if (isAnswer(event, { message, pressing })) this.#over(message, pressing)
  }

  stop(): void {
    for (const { timer } of this.#pressings.values()) timer.cancel()
    this.#pressings.clear()
  }

  #sent(message: MessageId, { pressing, id }: { pressing: Pressing; id: PressId }): void {
    pressing.id = id
    this.#bots.set(id, pressing.bot)
    keepNewest(this.#bots)
    if (this.#answered.has(id)) this.#over(message, pressing)
  }

  #patience(message: MessageId): Timer {
    return this.#parts.clock.setTimer(appLimits.pressPatienceMs, () => {
      const pressing = this.#pressings.get(message)
      if (pressing) this.#set(message, { ...pressing, state: 'unanswered' })
    })
  }

  #over(message: MessageId, { timer }: Pressing): void {
    timer.cancel()
    if (this.#pressings.delete(message)) this.#parts.touch('presses')
  }

  #set(message: MessageId, pressing: Pressing): void {
    this.#pressings.set(message, pressing)
    this.#parts.touch('presses')
  }
}

function isAnswer(event: JournalEvent, { message, pressing }: { message: MessageId; pressing: Pressing }): boolean {
  if (event.type === 'edited') return event.message.id === message
  if (event.type === 'deleted') return event.deleted.message_id === message
  if (event.type === 'toast') return event.toast.press_id === pressing.id
  return event.type === 'message' && event.chat_id === pressing.chat && event.message.from.id === pressing.bot.id
}

function keepNewest(kept: { size: number; keys(): IterableIterator<PressId>; delete(key: PressId): boolean }): void {
  const [oldest] = kept.keys()
  if (kept.size > appLimits.pressesRememberedMax && oldest !== undefined) kept.delete(oldest)
}
