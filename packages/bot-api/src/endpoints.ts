// The one table of endpoints: routes, validation, the OpenAPI document and docs/api.md derive from it.
import { gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import { chatParams, type Endpoint, nothing, pageLimit, sendHeaders } from './endpoint.ts'
import { update } from './events.ts'
import { accountInPath, namedChat, wholeNumber } from './field-rules.ts'
import { hookEndpoints } from './hook-endpoints.ts'
import { messageEndpoints } from './message-endpoints.ts'
import { bot, chat, safetyNumber, webhookStatus } from './objects.ts'
import { pollEndpoints, pressEndpoints } from './poll-endpoints.ts'
import { botChange, botCommands, newGroup } from './requests.ts'

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
  newInvite: {
    method: 'POST',
    path: '/v1/me/invite',
    section: 'Bot',
    summary:
      'Makes a new invite link; the token in older ones is worth nothing from then on. Who has an older link still knows the account id, and can read the profile with the key that stands in it.',
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
  listChats: {
    method: 'GET',
    path: '/v1/chats',
    section: 'Chats',
    summary: "The bot's chats, in the order in which it first saw them: all, or page by page.",
    query: z.object({
      limit: wholeNumber({ min: 1, max: gatewayLimits.chatsPageMax }).optional().describe('All when absent.'),
      after: namedChat.optional().describe('Reads on: the chats behind this one, the last of the page before.'),
    }),
    statuses: { not_found: 404 },
    answer: z.array(chat),
  },
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
    summary:
      'Accepts a chat request or a group invitation: the updates of what came meanwhile are queued, in order. An accepted chat is answered as it is. With a person, the groups to which that person has invited the bot are let in, now and later.',
    params: chatParams,
    answer: chat,
  },
  getSafetyNumber: {
    method: 'GET',
    path: '/v1/people/{account}/safety-number',
    section: 'Chats',
    summary:
      'What the bot and a person compare, over another way, to be sure that neither was given a stranger’s account instead of the other’s.',
    params: z.object({ account: accountInPath }),
    answer: safetyNumber,
  },
  createGroup: {
    method: 'POST',
    path: '/v1/groups',
    section: 'Chats',
    summary: 'Makes a group with the bot as its admin.',
    headers: sendHeaders,
    body: newGroup,
    statuses: { not_found: 404 },
    answer: chat,
  },
} as const satisfies Record<string, Endpoint>

const updateEndpoints = {
  getUpdates: {
    method: 'GET',
    path: '/v1/updates',
    section: 'Updates',
    summary: `What happened in the chats, oldest first; waits up to \`timeout\` seconds when there is nothing yet. \`offset\` confirms every update below it. Unconfirmed updates are kept for ${gatewayLimits.updatesKeptMs / 3_600_000} hours, at most ${gatewayLimits.updatesKeptMax} of them; the oldest are dropped. HEAD neither confirms nor waits.`,
    query: z.object({
      offset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0),
      timeout: wholeNumber({ min: 0, max: gatewayLimits.updatesPollTimeoutSecMax }).default(0),
      limit: pageLimit({ max: gatewayLimits.updatesPerPollMax, standard: gatewayLimits.updatesPerPollMax }),
    }),
    statuses: { webhook: 409 },
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
  ...pollEndpoints,
  ...pressEndpoints,
  ...updateEndpoints,
  ...hookEndpoints,
  ...serviceEndpoints,
} as const satisfies Record<string, Endpoint>

export type Endpoints = typeof endpoints
export type EndpointName = keyof Endpoints
