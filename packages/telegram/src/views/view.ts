// Chats, people and messages as Telegram shows them, with the numbers that are known at this moment.
import type { Chat, FileInfo, Message, Person, Poll } from '@postern/bot-api/objects'
import { type ChatId, isAccountId, isCoded, type MessageId } from '@postern/protocol'
import type { ChatNumbers } from '../ids/chat-numbers.ts'
import { fileIdOf } from '../ids/file-ids.ts'
import type { MessageNumbers, MessageRef } from '../ids/message-numbers.ts'
import type { Keyboards } from '../keyboards.ts'
import type { TelegramContext } from '../telegram-context.ts'
import { entitiesOf } from './text-entities.ts'

type Shown = Record<string, unknown>

export type TelegramUser = { id: number; is_bot: boolean; first_name: string; username?: string }
export type TelegramChat = { id: number; type: 'private' | 'group'; title?: string; first_name?: string }

/** Telegram counts seconds. */
export const secondsOf = (ms: number): number => Math.floor(ms / 1000)

export type ViewParts = {
  context: TelegramContext
  numbers: ChatNumbers
  messages: MessageNumbers
  keyboards: Keyboards
}

/** Lives within one turn: nothing that it shows can change meanwhile. */
export class View {
  readonly #parts: ViewParts
  /** Each chat is shown once, however many messages of it there are. */
  readonly #chats = new Map<ChatId, TelegramChat>()
  /** Without a number yet: what was shown of them is not to be used. */
  readonly nameless: string[] = []
  readonly numberless: MessageRef[] = []

  constructor(parts: ViewParts) {
    this.#parts = parts
  }

  user({ id, name, bot = false }: Pick<Person, 'id' | 'name' | 'bot'>): TelegramUser {
    const isMe = id === this.#parts.context.client.account
    return { id: this.#numberOf(id), is_bot: bot || isMe, first_name: name, ...(isMe && { username: this.#username }) }
  }

  me(): TelegramUser {
    const { id, name } = this.#parts.context.client.identity.me()
    return this.user({ id, name, bot: true })
  }

  chatOf({ id, type, name }: Pick<Chat, 'id' | 'type' | 'name'>): TelegramChat {
    const number = this.#numberOf(id)
    return type === 'group'
      ? { id: -number, type: 'group', title: name }
      : { id: number, type: 'private', first_name: name }
  }

  /** The chat of an update may be gone by now. */
  chat(id: ChatId): TelegramChat {
    const known = this.#chats.get(id)
    if (known) return known
    const shown = this.chatOf(this.#chatOrGone(id))
    this.#chats.set(id, shown)
    return shown
  }

  /** `id` may be that of an event. */
  messageNumber(chat: ChatId, id: string): number {
    const number = this.#parts.messages.find({ chat, id })
    if (number === undefined) this.numberless.push({ chat, id })
    return number ?? 0
  }

  /** `replies`: with the message that it answers. */
  message(message: Message, { replies = true }: { replies?: boolean } = {}): Shown {
    const { chat_id: chat, text, file, poll, reply_to: answers, edited_ts: editedTs, album } = message
    // Before its own number: an answer has the greater one.
    const found = replies && answers ? this.find(chat, answers) : undefined
    const answered = found && this.message(found, { replies: false })
    const entities = text === undefined ? [] : entitiesOf(message, person => this.user(person))
    const keyboard = this.#parts.keyboards.shown(message)?.map(row => row.filter(button => !('reply' in button)))
    const inline = keyboard?.filter(row => row.length > 0) ?? []
    return {
      message_id: this.messageNumber(chat, message.id),
      date: secondsOf(message.ts),
      chat: this.chat(chat),
      from: this.user(message.from),
      ...(editedTs !== undefined && { edit_date: secondsOf(editedTs) }),
      ...(answered && { reply_to_message: answered }),
      ...(text !== undefined && { [file ? 'caption' : 'text']: text }),
      ...(entities.length > 0 && { [file ? 'caption_entities' : 'entities']: entities }),
      ...(file && shownFile(message, file)),
      ...(album !== undefined && { media_group_id: album }),
      ...(poll && { poll: shownPoll(message, poll) }),
      ...(inline.length > 0 && { reply_markup: { inline_keyboard: inline.map(row => row.map(shownButton)) } }),
    }
  }

  find(chat: ChatId, id: MessageId): Message | undefined {
    const { messages } = this.#parts.context.client
    try {
      return messages.has(chat, id) ? messages.get(chat, id) : undefined
    } catch (error) {
      if (isCoded(error, 'message-not-found', 'chat-not-found')) return undefined
      throw error
    }
  }

  #chatOrGone(id: ChatId): Pick<Chat, 'id' | 'type' | 'name'> {
    try {
      return this.#parts.context.client.chats.get(id)
    } catch (error) {
      if (!isCoded(error, 'chat-not-found')) throw error
      return { id, type: isAccountId(id) ? 'private' : 'group', name: '' }
    }
  }

  #numberOf(id: string): number {
    const number = this.#parts.numbers.find(id)
    if (number === undefined) this.nameless.push(id)
    return number ?? 0
  }

  /** In Latin letters, because libraries accept no others. */
  get #username(): string {
    const { name } = this.#parts.context.client.identity.me()
    const letters = name
      .normalize('NFKD')
      .replaceAll(/[^A-Za-z0-9_]/g, '')
      .slice(0, 28)
    return /^[A-Za-z]/.test(letters) ? `${letters}_bot` : `postern${letters && '_'}${letters}_bot`
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
