// Chats, people and messages as Telegram shows them.
import type { Chat, FileInfo, Message, Person, Poll } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, isAccountId, isCoded, type MessageId } from '@postern/protocol'
import { ChatNumbers } from '../ids/chat-numbers.ts'
import { fileIdOf } from '../ids/file-ids.ts'
import { MessageNumbers } from '../ids/message-numbers.ts'
import { Keyboards } from '../keyboards.ts'
import type { TelegramContext } from '../telegram-context.ts'
import { badRequest } from '../telegram-error.ts'
import type { NamedIds } from './named-in.ts'
import { entitiesOf } from './text-entities.ts'

type Shown = Record<string, unknown>

export type TelegramUser = { id: number; is_bot: boolean; first_name: string; username?: string }
export type TelegramChat = { id: number; type: 'private' | 'group'; title?: string; first_name?: string }

/** Telegram counts seconds. */
export const secondsOf = (ms: number): number => Math.floor(ms / 1000)

export class TelegramViews {
  readonly numbers: ChatNumbers
  readonly messages: MessageNumbers
  readonly keyboards: Keyboards
  readonly #context: TelegramContext

  constructor(context: TelegramContext) {
    this.#context = context
    this.numbers = new ChatNumbers(context.client)
    this.messages = new MessageNumbers(context.client, context.clock)
    this.keyboards = new Keyboards(context.client)
  }

  /** Both writes are of one turn, so they share a transaction, whatever the number of updates. */
  async assignNumbers(named: readonly NamedIds[]): Promise<void> {
    const messages = named.flatMap(({ chat, messages: own, answered }) => {
      const found = answered !== undefined && this.find(chat, answered) ? [answered] : []
      return [...found, ...own].map(id => ({ chat, id }))
    })
    // Some updates also name the bot.
    const ids = named.flatMap(({ chat, people }) => [this.#context.client.account, chat, ...people])
    await Promise.all([this.numbers.assign(ids), this.messages.assign(messages)])
  }

  /** In Latin letters, because libraries accept no others. */
  get username(): string {
    const { name } = this.#context.client.identity.me()
    const letters = name
      .normalize('NFKD')
      .replaceAll(/[^A-Za-z0-9_]/g, '')
      .slice(0, 28)
    return /^[A-Za-z]/.test(letters) ? `${letters}_bot` : `postern${letters && '_'}${letters}_bot`
  }

  async user({ id, name, bot = false }: Pick<Person, 'id' | 'name' | 'bot'>): Promise<TelegramUser> {
    const isMe = id === this.#context.client.account
    const number = await this.numbers.of({ id })
    return { id: number, is_bot: bot || isMe, first_name: name, ...(isMe && { username: this.username }) }
  }

  async me(): Promise<TelegramUser> {
    const { id, name } = this.#context.client.identity.me()
    return await this.user({ id, name, bot: true })
  }

  async chat(id: ChatId): Promise<TelegramChat> {
    return await this.chatOf(this.#context.client.chats.get(id))
  }

  async chatOf(chat: Pick<Chat, 'id' | 'type' | 'name'>): Promise<TelegramChat> {
    const id = await this.numbers.ofChat(chat)
    return chat.type === 'group'
      ? { id, type: 'group', title: chat.name }
      : { id, type: 'private', first_name: chat.name }
  }

  /** The chat of an update may be gone by now. */
  async chatOrGone(id: ChatId): Promise<TelegramChat> {
    try {
      return await this.chat(id)
    } catch (error) {
      if (!isCoded(error, 'chat-not-found')) throw error
      return await this.chatOf({ id, type: isAccountId(id) ? 'private' : 'group', name: '' })
    }
  }

  /** `replies`: with the message that it answers. */
  async message(message: Message, { replies = true }: { replies?: boolean } = {}): Promise<Shown> {
    const { text, file, poll } = message
    const answered = replies && message.reply_to ? this.find(message.chat_id, message.reply_to) : undefined
    const entities = await entitiesOf(message, person => this.user(person))
    const keyboard = this.keyboards.shown(message)?.map(row => row.filter(button => !('reply' in button)))
    const inline = keyboard?.filter(row => row.length > 0) ?? []
    return {
      message_id: await this.messages.of(message.chat_id, message.id),
      date: secondsOf(message.ts),
      chat: await this.chatOrGone(message.chat_id),
      from: await this.user(message.from),
      ...(message.edited_ts !== undefined && { edit_date: secondsOf(message.edited_ts) }),
      ...(answered && { reply_to_message: await this.message(answered, { replies: false }) }),
      ...(text !== undefined && { [file ? 'caption' : 'text']: text }),
      ...(entities.length > 0 && text !== undefined && { [file ? 'caption_entities' : 'entities']: entities }),
      ...(file && shownFile(message, file)),
      ...(message.album !== undefined && { media_group_id: message.album }),
      ...(poll && { poll: shownPoll(message, poll) }),
      ...(inline.length > 0 && { reply_markup: { inline_keyboard: inline.map(row => row.map(shownButton)) } }),
    }
  }

  find(chat: ChatId, id: MessageId): Message | undefined {
    const { messages } = this.#context.client
    try {
      return messages.has(chat, id) ? messages.get(chat, id) : undefined
    } catch (error) {
      if (isCoded(error, 'message-not-found', 'chat-not-found')) return undefined
      throw error
    }
  }

  /** The account with this number or id. */
  account(number: string): AccountId {
    const id: string = this.numbers.resolve(number)
    if (!isAccountId(id)) throw badRequest('user not found')
    return id
  }
}

const shownButton = (button: object): Shown => {
  const { text, data, url } = button as { text: string; data?: string; url?: string }
  return { text, ...(url === undefined ? { callback_data: data } : { url }) }
}

function shownFile(message: Message, file: FileInfo): Shown {
  const { width = 0, height = 0, duration_ms: durationMs = 0 } = file
  const id = { file_id: fileIdOf(message), file_unique_id: message.id, file_size: file.size }
  const typed = { ...id, file_name: file.name, mime_type: file.type }
  const duration = Math.round(durationMs / 1000)
  switch (file.kind) {
    case 'photo':
      return { photo: [{ ...id, width, height }] }
    case 'video':
      return { video: { ...typed, width, height, duration } }
    case 'voice':
      return { voice: { ...id, mime_type: file.type, duration } }
    case 'file':
      return { document: typed }
  }
}

export function shownPoll(message: Message, poll: Poll): Shown {
  const voters = new Set(poll.options.flatMap(option => option.voters.map(({ id }) => id)))
  return {
    id: message.id,
    question: poll.question,
    options: poll.options.map(({ text, votes }) => ({ text, voter_count: votes })),
    total_voter_count: voters.size,
    is_closed: poll.closed,
    is_anonymous: false,
    type: 'regular',
    allows_multiple_answers: poll.multiple,
    ...(poll.close_ts !== undefined && { close_date: secondsOf(poll.close_ts) }),
  }
}
