// One valid request for every method of the Telegram Bot API, and for its files, to be mutated.
import type { SeededRandom } from '@postern/testkit'
import type { Known } from './known.ts'
import type { Json } from './nasty-values.ts'
import type { Body, Form, Right } from './request-shape.ts'
import { PIXEL } from './right-requests.ts'

type Fields = Record<string, Json>
type Make = (known: Known, random: SeededRandom) => Fields

const inChat: Make = ({ chats }, random) => ({ chat_id: random.of(chats) })
/** The private chat has no members to change: the groups are needed as they are. */
const ofMember: Make = ({ alice }) => ({ chat_id: alice, user_id: alice })
const ofMessage = (kind: 'any' | 'text' | 'poll' | 'file'): Make => {
  return ({ telegramMessages }, random) => {
    const { chat, id } = random.of(telegramMessages.of(kind))
    return { chat_id: Number(chat), message_id: Number(id) }
  }
}
const fileId = ({ messages }: Known, random: SeededRandom): { file_id: string } => {
  const { chat, id } = random.of(messages.of('file'))
  return { file_id: `${chat}-${id}` }
}
const inlineKeyboard = {
  inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }], [{ text: 'Look', url: 'https://example.org/' }]],
}
const keyboards: Json[] = [
  inlineKeyboard,
  { inline_keyboard: [Array.from({ length: 9 }, (_, at) => ({ text: `${at}`, callback_data: `${at}` }))] },
  { keyboard: [['Yes', { text: 'No' }]], one_time_keyboard: true },
  { remove_keyboard: true },
  JSON.stringify(inlineKeyboard),
]
const words: Make = (_, random) =>
  random.of<Fields>([
    { text: 'plain' },
    { text: '<b>bold</b> <i>and</i> <code>code</code>', parse_mode: 'HTML' },
    { text: '*bold* _and_ `code`', parse_mode: 'Markdown' },
    { text: '*bold* ||hidden|| [here](https://example.org/)', parse_mode: 'MarkdownV2' },
    { text: 'bold', entities: [{ type: 'bold', offset: 0, length: 4 }] },
  ])
const captionOf: Make = (known, random) => {
  const { text = '', entities, ...others } = words(known, random)
  return { caption: text, ...others, ...(entities !== undefined && { caption_entities: entities }) }
}
const known =
  (field: string): Make =>
  (all, random) => ({
    ...inChat(all, random),
    [field]: fileId(all, random).file_id,
    ...captionOf(all, random),
  })
const media = (name: Json, caption: Fields): Json => ({ type: 'document', media: name, ...caption })

export const telegramMethods: Readonly<Record<string, Make>> = {
  getMe: () => ({}),
  logOut: () => ({}),
  close: () => ({}),
  setMyCommands: () => ({ commands: [{ command: 'help', description: 'Helps' }] }),
  getMyCommands: () => ({}),
  deleteMyCommands: () => ({}),
  setMyName: () => ({ name: 'fuzzed' }),
  getMyName: () => ({}),
  setMyDescription: () => ({ description: 'bends what it is sent' }),
  getMyDescription: () => ({}),
  setMyShortDescription: () => ({ short_description: 'bends' }),
  getMyShortDescription: () => ({}),
  // Without a timeout: mutated, it would keep a connection for a minute.
  getUpdates: (_, random) => ({ offset: random.of([0, -1, 5]), limit: 5, allowed_updates: ['message', 'poll'] }),
  // No update is delivered there: fuzzing needs the bot, not a receiver.
  setWebhook: () => ({ url: 'http://127.0.0.1:9/', secret_token: 'a-secret', allowed_updates: ['message'] }),
  deleteWebhook: (_, random) => ({ drop_pending_updates: random.below(2) === 0 }),
  getWebhookInfo: () => ({}),
  sendMessage: (all, random) => ({
    ...inChat(all, random),
    ...words(all, random),
    reply_parameters: { message_id: 1, allow_sending_without_reply: true },
    reply_markup: random.of(keyboards),
  }),
  sendMessageDraft: (all, random) => ({ ...inChat(all, random), draft_id: 7, ...words(all, random) }),
  editMessageText: (all, random) => ({ ...ofMessage('text')(all, random), ...words(all, random) }),
  editMessageCaption: (all, random) => ({ ...ofMessage('file')(all, random), ...captionOf(all, random) }),
  editMessageReplyMarkup: (all, random) => ({ ...ofMessage('any')(all, random), reply_markup: random.of(keyboards) }),
  deleteMessage: ofMessage('any'),
  deleteMessages: (all, random) => {
    const { chat_id: chat = 0, message_id: number = 0 } = ofMessage('any')(all, random)
    return { chat_id: chat, message_ids: [number, 1_000_000] }
  },
  forwardMessage: (all, random) => ({ ...ofMessage('any')(all, random), ...fromTo(all, random) }),
  copyMessage: (all, random) => ({ ...ofMessage('any')(all, random), ...fromTo(all, random), caption: 'copied' }),
  answerCallbackQuery: ({ presses }, random) => ({ callback_query_id: random.of(presses), text: 'On its way' }),
  setMessageReaction: (all, random) => ({
    ...ofMessage('any')(all, random),
    reaction: random.of<Json>([[], [{ type: 'emoji', emoji: '👍' }]]),
  }),
  sendChatAction: (all, random) => ({ ...inChat(all, random), action: 'typing' }),
  sendDocument: known('document'),
  sendPhoto: known('photo'),
  sendVideo: known('video'),
  sendVoice: known('voice'),
  sendAudio: known('audio'),
  sendAnimation: known('animation'),
  sendMediaGroup: (all, random) => ({
    ...inChat(all, random),
    media: [media(fileId(all, random).file_id, captionOf(all, random))],
  }),
  getFile: fileId,
  sendPoll: (all, random) => ({
    ...inChat(all, random),
    question: 'Which?',
    options: ['this', { text: 'that' }],
    allows_multiple_answers: true,
    open_period: 60,
  }),
  stopPoll: ofMessage('poll'),
  getChat: inChat,
  getChatMember: ofMember,
  getUserProfilePhotos: ofMember,
  getChatMemberCount: inChat,
  getChatAdministrators: inChat,
  banChatMember: ofMember,
  unbanChatMember: ofMember,
  promoteChatMember: (all, random) => ({ ...ofMember(all, random), can_manage_chat: true }),
  setChatTitle: (all, random) => ({ ...inChat(all, random), title: 'fuzzed' }),
  // The private chat, which cannot be left.
  leaveChat: ({ alice }) => ({ chat_id: alice }),
}

const fromTo: Make = (all, random) => ({ from_chat_id: random.of(all.chats), chat_id: random.of(all.chats) })

const uploads = ['document', 'photo', 'video', 'voice', 'media'] as const
const FILE_SHARE = 0.03
const UPLOAD_SHARE = 0.1

export function telegramRequest(all: Known, random: SeededRandom): Right {
  const share = random.next()
  if (share < FILE_SHARE) {
    const params = { token: all.token, file: fileId(all, random).file_id }
    const path = '/file/bot{token}/{file}'
    return { name: 'telegram file', method: 'GET', path, params, query: [], headers: [], body: NONE }
  }
  if (share < UPLOAD_SHARE) return upload(all, random)
  const method = random.of(Object.keys(telegramMethods))
  const fields = telegramMethods[method]?.(all, random) ?? {}
  return { ...called(all, method), ...carried(fields, random) }
}

const NONE: Body = { kind: 'none' }

const called = ({ token }: Known, method: string) => ({
  name: 'telegram call' as const,
  path: '/bot{token}/{method}',
  params: { token, method },
  headers: [],
})

/** The ways in which libraries send parameters. */
function carried(fields: Fields, random: SeededRandom): Pick<Right, 'method' | 'query' | 'body'> {
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  if (random.below(4) > 0) return { method: 'POST', query: [], body: { kind: 'json', value: fields } }
  const encoded = new URLSearchParams(texts).toString()
  if (random.below(2) === 0) {
    const bytes = Buffer.from(encoded.length > 0 ? encoded : 'x=y')
    return { method: 'POST', query: [], body: { kind: 'bytes', type: 'application/x-www-form-urlencoded', bytes } }
  }
  const query = texts.map(([name, value]): [string, string] => [name, encodeURIComponent(value)])
  return { method: 'GET', query, body: NONE }
}

function upload(all: Known, random: SeededRandom): Right {
  const field = random.of(uploads)
  const named = field === 'media' ? JSON.stringify([media('attach://file', { caption: 'one' })]) : 'attach://file'
  const form: Form = {
    fields: [
      ['chat_id', random.of(all.chats)],
      [field, named],
      ['caption', 'from the *garden*'],
      ['parse_mode', 'Markdown'],
      ['duration', '10'],
      ['reply_markup', JSON.stringify(inlineKeyboard)],
    ],
    file: PIXEL,
    fileName: 'photo.png',
    copies: 1 + random.below(2),
  }
  const method = field === 'media' ? 'sendMediaGroup' : `send${field.charAt(0).toUpperCase()}${field.slice(1)}`
  return { ...called(all, method), method: 'POST', query: [], body: { kind: 'form', form } }
}
