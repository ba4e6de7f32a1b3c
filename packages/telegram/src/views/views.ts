// Shows chats, people and messages as Telegram does. Nothing is shown before its number is on the disk.
import type { Chat, Message, Person } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, isAccountId, type MessageId } from '@postern/protocol'
import { ChatNumbers } from '../ids/chat-numbers.ts'
import { MessageNumbers } from '../ids/message-numbers.ts'
import { Keyboards } from '../keyboards.ts'
import type { TelegramContext } from '../telegram-context.ts'
import { badRequest } from '../telegram-error.ts'
import { type TelegramChat, type TelegramUser, View, type ViewParts } from './view.ts'

export class TelegramViews {
  readonly numbers: ChatNumbers
  readonly messages: MessageNumbers
  readonly keyboards: Keyboards
  readonly #parts: ViewParts

  constructor(context: TelegramContext) {
    this.numbers = new ChatNumbers(context.client)
    this.messages = new MessageNumbers(context.client, context.clock)
    this.keyboards = new Keyboards(context.client)
    this.#parts = { context, numbers: this.numbers, messages: this.messages, keyboards: this.keyboards }
  }

  /**
   * Shows with the numbers that are known. If some are missing, they are assigned in one transaction, and all of it is
   * shown again: a separate list of the numbers that a view needs could lack one.
   */
  async show<Shown>(showIn: (view: View) => Shown): Promise<Shown> {
    for (;;) {
      const view = new View(this.#parts)
      const shown = showIn(view)
      const { nameless, numberless } = view
      if (nameless.length + numberless.length === 0) return shown
      // Both are asked for together, so that they can share a wait for the disk.
      await Promise.all([this.numbers.assign(nameless), this.messages.assign(numberless)])
    }
  }

  async user(person: Pick<Person, 'id' | 'name' | 'bot'>): Promise<TelegramUser> {
    return await this.show(view => view.user(person))
  }

  async me(): Promise<TelegramUser> {
    return await this.show(view => view.me())
  }

  async chatOf(chat: Pick<Chat, 'id' | 'type' | 'name'>): Promise<TelegramChat> {
    return await this.show(view => view.chatOf(chat))
  }

  async message(message: Message): Promise<Record<string, unknown>> {
    return await this.show(view => view.message(message))
  }

  async messageNumber(chat: ChatId, id: string): Promise<number> {
    return await this.show(view => view.messageNumber(chat, id))
  }

  find(chat: ChatId, id: MessageId): Message | undefined {
    return new View(this.#parts).find(chat, id)
  }

  /** The account with this number or id. */
  account(number: string): AccountId {
    const id: string = this.numbers.resolve(number)
    if (!isAccountId(id)) throw badRequest('user not found')
    return id
  }
}
