// A method of the Telegram Bot API: what it does, and how much of it works here.
import type { Message } from '@postern/bot-api/objects'
import type { ChatId, MessageId } from '@postern/protocol'
import { isMessageId } from '@postern/protocol'
import { type ParsedWords, type WordFields, wordsOf } from '../formatting/telegram-words.ts'
import type { Parameters } from '../parameters.ts'
import type { PolledUpdates } from '../polling/poll-updates.ts'
import type { MethodInput, TelegramContext } from '../telegram-context.ts'
import { badRequest } from '../telegram-error.ts'
import type { TelegramViews } from '../views/views.ts'
import type { TelegramWebhook } from '../webhook/telegram-webhook.ts'

export type MethodParts = {
  context: TelegramContext
  views: TelegramViews
  updates: PolledUpdates
  webhook: TelegramWebhook
}

export type Method = {
  fits: 'full' | 'partly' | 'no effect'
  /** The differences from Telegram, for the table of the documents. */
  note: string
  run: (input: MethodInput, parts: MethodParts) => unknown
}

export type Methods = Readonly<Record<string, Method>>

export const chatOf = (parameters: Parameters, { views }: MethodParts, field = 'chat_id'): ChatId =>
  views.numbers.resolve(parameters.need(field))

type Asked = { chat: ChatId; number: number; what: string }

export function messageOf({ views }: MethodParts, { chat, number, what }: Asked): Message {
  const id = views.messages.idOf(chat, number)
  const message = id !== undefined && isMessageId(id) ? views.find(chat, id) : undefined
  if (!message) throw badRequest(`message to ${what} not found`)
  return message
}

export function namedMessage(parameters: Parameters, parts: MethodParts, what: string): Message {
  const chat = chatOf(parameters, parts)
  return messageOf(parts, { chat, number: parameters.needInteger('message_id'), what })
}

/** The two ways to name the message that is answered. */
export function replyOf(parameters: Parameters, parts: MethodParts, chat: ChatId): { reply_to?: MessageId } {
  const reply = parameters.object('reply_parameters')
  if (reply?.has('chat_id') && chatOf(reply, parts) !== chat)
    throw badRequest('replies to other chats are not supported')
  const number = reply?.integer('message_id') ?? parameters.integer('reply_to_message_id')
  if (number === undefined || number === 0) return {}
  const mayBeGone = reply?.flag('allow_sending_without_reply') || parameters.flag('allow_sending_without_reply')
  try {
    return { reply_to: messageOf(parts, { chat, number, what: 'be replied' }).id }
  } catch (error) {
    if (mayBeGone) return {}
    throw error
  }
}

export const wordsIn = (parameters: Parameters, { views }: MethodParts, asked: WordFields): ParsedWords =>
  wordsOf(parameters, asked, number => tryAccount(views, number))

/** The caption of a file that is sent again, as the operation of the gateway takes it; empty without one. */
export function captionIn(parameters: Parameters, parts: MethodParts): { caption: string } {
  const asked = { text: parameters.text('caption') ?? '', entities: 'caption_entities' } as const
  const { text: caption, ...marks } = wordsIn(parameters, parts, asked)
  return caption === '' ? { caption } : { caption, ...marks }
}

function tryAccount(views: TelegramViews, number: string): string | undefined {
  try {
    return views.account(number)
  } catch {
    return undefined
  }
}

export const silentOf = (parameters: Parameters): { silent?: true } =>
  parameters.flag('disable_notification') ? { silent: true } : {}
