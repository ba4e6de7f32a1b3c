// The one table of endpoints: routes, validation, the OpenAPI document and docs/api.md derive from it.
import { z } from 'zod'
import { gatewayLimits } from '../limits.ts'
import { chatInPath, messageInPath, wholeNumber } from './field-rules.ts'
import { bot, chat, message, update, webhookStatus } from './objects.ts'
import { botChange, botCommands, messageEdit, newGroup, newReaction, readMark, textMessage } from './requests.ts'

export type Endpoint = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: `/${string}`
  section: 'Bot' | 'Chats' | 'Messages' | 'Updates' | 'Service'
  summary: string
  /** Without a token. */
  open?: true
  params?: z.ZodObject
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  /** A body that is no JSON: its bytes as they come. */
  upload?: { types: readonly string[]; bytesMax: number }
  answer: z.ZodType
  /** When it is no JSON. */
  answerType?: 'text/plain; version=0.0.4; charset=utf-8'
}

const chatParams = z.object({ chat: chatInPath })
const messageParams = z.object({ chat: chatInPath, msg: messageInPath })
const nothing = z.object({})

const keyRule = `1 to ${gatewayLimits.idempotencyKeyBytesMax} bytes are required`
const sendHeaders = z.object({
  'idempotency-key': z
    .string(keyRule)
    .min(1, keyRule)
    .max(gatewayLimits.idempotencyKeyBytesMax, keyRule)
    .optional()
    .describe('The same key within 24 hours gives the first outcome, and nothing is sent twice.'),
})

const pageLimit = ({ max, standard }: { max: number; standard: number }) =>
  wholeNumber({ min: 1, max }).default(standard)

const botEndpoints = {
  getMe: { method: 'GET', path: '/v1/me', section: 'Bot', summary: 'The bot.', answer: bot },
  changeMe: {
    method: 'PATCH',
    path: '/v1/me',
    section: 'Bot',
    summary: "Changes the bot's name or description; what is absent stays.",
    body: botChange,
    answer: bot,
  },
  setCommands: {
    method: 'PUT',
    path: '/v1/me/commands',
    section: 'Bot',
    summary: "Replaces the bot's commands; [] removes all.",
    body: botCommands,
    answer: nothing,
  },
  setAvatar: {
    method: 'PUT',
    path: '/v1/me/avatar',
    section: 'Bot',
    summary:
      "Sets the bot's picture: the bytes of a JPEG, PNG or WebP file. It is cropped to a square and scaled down.",
    upload: { types: ['image/jpeg', 'image/png', 'image/webp'], bytesMax: gatewayLimits.avatarUploadBytesMax },
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>

const chatEndpoints = {
  listChats: { method: 'GET', path: '/v1/chats', section: 'Chats', summary: "The bot's chats.", answer: z.array(chat) },
  getChat: {
    method: 'GET',
    path: '/v1/chats/{chat}',
    section: 'Chats',
    summary: 'One chat.',
    params: chatParams,
    answer: chat,
  },
  acceptChat: {
    method: 'POST',
    path: '/v1/chats/{chat}/accept',
    section: 'Chats',
    summary: 'Accepts a chat request or a group invitation. An accepted chat is answered as it is.',
    params: chatParams,
    answer: chat,
  },
  createGroup: {
    method: 'POST',
    path: '/v1/groups',
    section: 'Chats',
    summary: 'Makes a group with the bot as its admin.',
    headers: sendHeaders,
    body: newGroup,
    answer: chat,
  },
} as const satisfies Record<string, Endpoint>

const messageEndpoints = {
  listMessages: {
    method: 'GET',
    path: '/v1/chats/{chat}/messages',
    section: 'Messages',
    summary: 'The newest messages of a chat, or the newest before a time; oldest first.',
    params: chatParams,
    query: z.object({
      before: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional(),
      limit: pageLimit({ max: gatewayLimits.messagesPageMax, standard: gatewayLimits.messagesPageDefault }),
    }),
    answer: z.array(message),
  },
  sendMessage: {
    method: 'POST',
    path: '/v1/chats/{chat}/messages',
    section: 'Messages',
    summary:
      'Sends a text. The answer means that the relay has it durably. The account id of a person whom the bot never met opens a chat.',
    params: chatParams,
    headers: sendHeaders,
    body: textMessage,
    answer: message,
  },
  getMessage: {
    method: 'GET',
    path: '/v1/chats/{chat}/messages/{msg}',
    section: 'Messages',
    summary: 'One message.',
    params: messageParams,
    answer: message,
  },
  editMessage: {
    method: 'PATCH',
    path: '/v1/chats/{chat}/messages/{msg}',
    section: 'Messages',
    summary: "Edits the bot's own text within 48 hours; what is absent stays.",
    params: messageParams,
    body: messageEdit,
    answer: message,
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/v1/chats/{chat}/messages/{msg}',
    section: 'Messages',
    summary: "Deletes a message: for everyone, if it is the bot's own, or only in the bot's database.",
    params: messageParams,
    query: z.object({ for: z.enum(['all', 'me'], 'all or me is required').default('all') }),
    answer: nothing,
  },
  setReaction: {
    method: 'PUT',
    path: '/v1/chats/{chat}/messages/{msg}/reaction',
    section: 'Messages',
    summary: "Sets the bot's reaction, one emoji, in place of the one it had.",
    params: messageParams,
    body: newReaction,
    answer: nothing,
  },
  removeReaction: {
    method: 'DELETE',
    path: '/v1/chats/{chat}/messages/{msg}/reaction',
    section: 'Messages',
    summary: "Removes the bot's reaction.",
    params: messageParams,
    answer: nothing,
  },
  markRead: {
    method: 'POST',
    path: '/v1/chats/{chat}/read',
    section: 'Messages',
    summary: 'Marks messages read, up to one or all. The countdown of disappearing ones starts.',
    params: chatParams,
    body: readMark,
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>

const updateEndpoints = {
  getUpdates: {
    method: 'GET',
    path: '/v1/updates',
    section: 'Updates',
    summary:
      'What happened in the chats, oldest first; waits up to `timeout` seconds when there is nothing yet. `offset` confirms every update below it.',
    query: z.object({
      offset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0),
      timeout: wholeNumber({ min: 0, max: gatewayLimits.updatesPollTimeoutSecMax }).default(0),
      limit: pageLimit({ max: gatewayLimits.updatesPerPollMax, standard: gatewayLimits.updatesPerPollMax }),
    }),
    answer: z.array(update),
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhook',
    section: 'Updates',
    summary: 'How delivery by webhook is doing.',
    answer: webhookStatus,
  },
} as const satisfies Record<string, Endpoint>

const serviceEndpoints = {
  health: {
    method: 'GET',
    path: '/healthz',
    section: 'Service',
    summary: 'Whether the gateway runs.',
    open: true,
    answer: nothing,
  },
  getMetrics: {
    method: 'GET',
    path: '/v1/metrics',
    section: 'Service',
    summary: "The gateway's figures in the text format of Prometheus.",
    answer: z.string(),
    answerType: 'text/plain; version=0.0.4; charset=utf-8',
  },
  getOpenapi: {
    method: 'GET',
    path: '/openapi.json',
    section: 'Service',
    summary: 'This API as an OpenAPI 3.1 document.',
    open: true,
    answer: z.looseObject({ openapi: z.string() }),
  },
} as const satisfies Record<string, Endpoint>

export const endpoints = {
  ...botEndpoints,
  ...chatEndpoints,
  ...messageEndpoints,
  ...updateEndpoints,
  ...serviceEndpoints,
} as const satisfies Record<string, Endpoint>

export type Endpoints = typeof endpoints
export type EndpointName = keyof Endpoints
