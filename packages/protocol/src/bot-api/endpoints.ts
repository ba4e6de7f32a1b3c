// The one table of endpoints: routes, validation and documents derive from it.
import { z } from 'zod'
import { gatewayLimits } from '../limits.ts'
import { mentionsAreInText, textMessageFields, wholeNumber } from './field-rules.ts'
import { bot, chat, message, update } from './objects.ts'

export type Endpoint = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: `/${string}`
  summary: string
  /** Without a token. */
  open?: true
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  answer: z.ZodType
}

/** Any text: what is no id of a chat is a chat that does not exist. */
const chatParams = z.object({ chat: z.string() })

const textMessage = z.object(textMessageFields, 'a JSON object is required').superRefine(mentionsAreInText)
export type TextMessage = z.infer<typeof textMessage>

export const endpoints = {
  health: { method: 'GET', path: '/healthz', summary: 'Whether the gateway runs.', open: true, answer: z.object({}) },
  getMe: { method: 'GET', path: '/v1/me', summary: 'The bot.', answer: bot },
  listChats: { method: 'GET', path: '/v1/chats', summary: "The bot's chats.", answer: z.array(chat) },
  getChat: { method: 'GET', path: '/v1/chats/{chat}', summary: 'One chat.', params: chatParams, answer: chat },
  sendMessage: {
    method: 'POST',
    path: '/v1/chats/{chat}/messages',
    summary: 'Sends a text. The answer means that the relay has it durably.',
    params: chatParams,
    body: textMessage,
    answer: message,
  },
  getUpdates: {
    method: 'GET',
    path: '/v1/updates',
    summary: 'What happened in the chats, oldest first; waits when there is nothing yet.',
    query: z.object({
      offset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0),
      timeout: wholeNumber({ min: 0, max: gatewayLimits.updatesPollTimeoutSecMax }).default(0),
      limit: wholeNumber({ min: 1, max: gatewayLimits.updatesPerPollMax }).default(gatewayLimits.updatesPerPollMax),
    }),
    answer: z.array(update),
  },
} as const satisfies Record<string, Endpoint>

export type Endpoints = typeof endpoints
export type EndpointName = keyof Endpoints
