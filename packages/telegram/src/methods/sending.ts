// Methods that send, change and delete messages.
import type { Message } from '@postern/bot-api/objects'
import { contentLimits, gatewayLimits, isCoded } from '@postern/protocol'
import { writeMarkdown } from '@postern/protocol/markdown'
import type { ParsedWords } from '../formatting/telegram-words.ts'
import { buttonsOfPage, inlineKeyboardOf, type KeyboardRows, keyboardOf } from '../keyboards.ts'
import type { Parameters } from '../parameters.ts'
import type { MethodInput } from '../telegram-context.ts'
import { badRequest, TelegramError } from '../telegram-error.ts'
import {
  captionIn,
  chatOf,
  type MethodParts,
  type Methods,
  messageOf,
  namedMessage,
  replyOf,
  silentOf,
  wordsIn,
} from './method.ts'

async function sendMessage({ parameters, key }: MethodInput, parts: MethodParts): Promise<object> {
  const { context, views } = parts
  const chat = chatOf(parameters, parts)
  const text = parameters.text('text') ?? ''
  const words = wordsIn(parameters, parts, { text, entities: 'entities' })
  if (words.text.trim() === '') throw badRequest('message text is empty')
  const rows = keyboardOf(parameters)
  const body = { ...words, ...replyOf(parameters, parts, chat), ...silentOf(parameters), ...buttonsOf(rows) }
  const sent = await context.call('sendMessage', { params: { chat }, body, key })
  if (rows) await views.keyboards.keep(sent, rows)
  return await views.message(sent)
}

export const buttonsOf = (rows: KeyboardRows | undefined) =>
  rows && rows.length > 0 ? { buttons: buttonsOfPage(rows, 0) } : {}

/** An edit without a keyboard takes the keyboard away, as in Telegram. */
async function edit(input: MethodInput, parts: MethodParts, words: object): Promise<object> {
  const { parameters } = input
  const { context, views } = parts
  const message = namedMessage(parameters, parts, 'edit')
  if (message.from.id !== context.client.account) throw badRequest("message can't be edited")
  const rows = inlineKeyboardOf(parameters)
  const body = { ...words, buttons: buttonsOfPage(rows, 0) }
  if (isSame(message, body, { rows, before: views.keyboards.shown(message) ?? [] })) throw notModified()
  const params = { chat: message.chat_id, msg: message.id }
  const edited = await context.call('editMessage', { params, body })
  await views.keyboards.keep(edited, rows)
  return await views.message(edited)
}

type Keyboard = { rows: KeyboardRows; before: KeyboardRows }

function isSame(message: Message, words: object, { rows, before }: Keyboard): boolean {
  const unless: Partial<Message> = 'text' in words ? { entities: [], mentions: [] } : message
  const { text = '', entities, mentions } = { text: message.text, ...unless, ...(words as Partial<Message>) }
  const shown = JSON.stringify([text, entities ?? [], mentions ?? [], rows.flat()])
  return shown === JSON.stringify([message.text ?? '', message.entities ?? [], message.mentions ?? [], before.flat()])
}

/** Bots match these words, and ignore the error. */
const notModified = () =>
  badRequest(
    'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
  )

async function editMessageText(input: MethodInput, parts: MethodParts): Promise<object> {
  const { parameters } = input
  const words = wordsIn(parameters, parts, { text: parameters.text('text') ?? '', entities: 'entities' })
  if (words.text.trim() === '') throw badRequest('message text is empty')
  const message = namedMessage(parameters, parts, 'edit')
  if (message.file || message.poll) throw badRequest('there is no text in the message to edit')
  return await edit(input, parts, words)
}

async function editMessageCaption(input: MethodInput, parts: MethodParts): Promise<object> {
  const { parameters } = input
  const text = parameters.text('caption') ?? ''
  const words = wordsIn(parameters, parts, { text, entities: 'caption_entities' })
  if (!namedMessage(parameters, parts, 'edit').file) throw badRequest('there is no caption in the message to edit')
  return await edit(input, parts, words)
}

async function deleteOne(parameters: Parameters, parts: MethodParts, number: number): Promise<void> {
  const chat = chatOf(parameters, parts)
  const message = messageOf(parts, { chat, number, what: 'delete' })
  try {
    await parts.context.call('deleteMessage', { params: { chat, msg: message.id }, query: {} })
  } catch (error) {
    if (isCoded(error, 'not-own-message')) throw badRequest("message can't be deleted")
    throw error
  }
}

async function deleteMessages({ parameters }: MethodInput, parts: MethodParts): Promise<true> {
  const numbers = parameters.list('message_ids') ?? []
  if (numbers.length < 1 || numbers.length > gatewayLimits.telegramDeletedTogetherMax)
    throw badRequest(`message_ids must have 1 to ${gatewayLimits.telegramDeletedTogetherMax} entries`)
  if (!numbers.every(number => Number.isSafeInteger(number))) throw badRequest('message_ids must be a list of integers')
  for (const number of numbers) {
    // As in Telegram, missing messages are skipped.
    await deleteOne(parameters, parts, number as number).catch((error: unknown) => {
      if (!(error instanceof TelegramError)) throw error
    })
  }
  return true
}

type Copying = { copy: boolean; words?: object }

/** Sends a text or a file again, in the same chat or another one. */
async function sendAgain(
  { parameters, key }: MethodInput,
  parts: MethodParts,
  { copy, words = {} }: Copying,
): Promise<Message> {
  const from = chatOf(parameters, parts, 'from_chat_id')
  const what = copy ? 'copy' : 'forward'
  const { id, poll, file, text } = messageOf(parts, { chat: from, number: parameters.needInteger('message_id'), what })
  if (poll || (!file && text === undefined)) throw badRequest('only texts and files can be sent again by this gateway')
  const chat = chatOf(parameters, parts)
  const rows = copy ? keyboardOf(parameters) : undefined
  const body = {
    from: { chat_id: from, message_id: id },
    copy,
    ...(file ? words : {}),
    ...(copy ? replyOf(parameters, parts, chat) : {}),
    ...silentOf(parameters),
    ...buttonsOf(rows),
  }
  const sent = await parts.context.call('forwardMessage', { params: { chat }, body, key })
  if (rows) await parts.views.keyboards.keep(sent, rows)
  return sent
}

async function forwardMessage(input: MethodInput, parts: MethodParts): Promise<object> {
  return await parts.views.message(await sendAgain(input, parts, { copy: false }))
}

/** Without a caption the copy has that of the original; for a text it is ignored, as in Telegram. */
async function copyMessage(input: MethodInput, parts: MethodParts): Promise<object> {
  const { parameters } = input
  const text = parameters.text('caption')
  const words = text === undefined ? {} : captionIn(parameters, parts)
  const { chat_id: chat, id } = await sendAgain(input, parts, { copy: true, words })
  return { message_id: await parts.views.messageNumber(chat, id) }
}

/** The text so far of a message that is still being written. */
async function sendMessageDraft({ parameters }: MethodInput, parts: MethodParts): Promise<true> {
  const params = { chat: chatOf(parameters, parts) }
  if (parameters.needInteger('draft_id') === 0) throw badRequest('draft_id must be non-zero')
  const words = wordsIn(parameters, parts, { text: parameters.text('text') ?? '', entities: 'entities' })
  if (words.text === '') await parts.context.call('sendTyping', { params })
  else await parts.context.call('sendDraft', { params, body: draftOf(words) })
  return true
}

/** Drafts carry their formatting as Markdown. Escapes can make a long text too long: then it has none. */
function draftOf({ text, entities }: ParsedWords): { text: string; format?: 'markdown' } {
  const marked = entities && writeMarkdown({ text, entities })
  const isMarked = marked !== undefined && [...marked].length <= contentLimits.textCharsMax
  return isMarked ? { text: marked, format: 'markdown' } : { text }
}

export const sendingMethods: Methods = {
  sendMessage: {
    fits: 'full',
    note: 'Underlining, custom emoji, link previews, `protect_content`, topics and effects are ignored.',
    run: sendMessage,
  },
  editMessageText: {
    fits: 'full',
    note: 'Messages of the bot only: for 48 hours, and without this limit while they have buttons.',
    run: editMessageText,
  },
  editMessageCaption: { fits: 'full', note: 'As editMessageText.', run: editMessageCaption },
  editMessageReplyMarkup: { fits: 'full', note: '', run: (input, parts) => edit(input, parts, {}) },
  deleteMessage: {
    fits: 'partly',
    note: "Messages of the bot only. Others: 400 `message can't be deleted`.",
    run: async ({ parameters }, parts) => {
      await deleteOne(parameters, parts, parameters.needInteger('message_id'))
      return true
    },
  },
  deleteMessages: {
    fits: 'partly',
    note: 'As deleteMessage; missing messages and those of others are skipped.',
    run: deleteMessages,
  },
  forwardMessage: {
    fits: 'partly',
    note: 'Texts and files. The message is marked as forwarded, and names neither its sender nor its chat.',
    run: forwardMessage,
  },
  copyMessage: { fits: 'partly', note: 'Texts and files. Mentions stay behind.', run: copyMessage },
  answerCallbackQuery: {
    fits: 'full',
    note: 'Once, and within a minute of the press. `show_alert`, `url` and `cache_time` are ignored.',
    run: async ({ parameters, key }, { context }) => {
      const press = parameters.need('callback_query_id')
      const text = [...(parameters.text('text') ?? '')].slice(0, contentLimits.toastCharsMax).join('')
      await context.call('answerPress', { params: { press_id: press }, body: { text }, key })
      return true
    },
  },
  setMessageReaction: {
    fits: 'partly',
    note: 'One emoji; `is_big` is ignored.',
    run: async ({ parameters }, parts) => {
      const message = namedMessage(parameters, parts, 'react')
      const params = { chat: message.chat_id, msg: message.id }
      const [reaction] = parameters.objects('reaction') ?? []
      if (!reaction) await parts.context.call('removeReaction', { params })
      else if (reaction.text('type') !== 'emoji') throw badRequest('REACTION_INVALID')
      else await parts.context.call('setReaction', { params, body: { emoji: reaction.need('emoji') } })
      return true
    },
  },
  sendMessageDraft: {
    fits: 'partly',
    note: 'Also in groups. One draft is shown in a chat: a new `draft_id` replaces it. An empty text is shown as typing.',
    run: sendMessageDraft,
  },
  sendChatAction: {
    fits: 'partly',
    note: 'Every action is shown as typing.',
    run: async ({ parameters }, parts) => {
      parameters.need('action')
      await parts.context.call('sendTyping', { params: { chat: chatOf(parameters, parts) } })
      return true
    },
  },
}
