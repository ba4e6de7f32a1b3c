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
  getMe: {
    method: 'GET',
    path: '/v1/me',
    section: 'Bot',
    summary: 'Get the bot',
    description: 'The bot: its name, its invite link and its commands.',
    answer: bot,
  },
  changeMe: {
    method: 'PATCH',
    path: '/v1/me',
    section: 'Bot',
    summary: 'Change the bot',
    description: "Changes the bot's name or description; what is absent stays.",
    body: botChange,
    answer: bot,
  },
  newInvite: {
    method: 'POST',
    path: '/v1/me/invite',
    section: 'Bot',
    summary: 'Make a new invite',
    description:
      'Makes a new invite link; the token in older ones is worth nothing from then on. Who has an older link still knows the account id, and can read the profile with the key that stands in it.',
    answer: bot,
  },
  setCommands: {
    method: 'PUT',
    path: '/v1/me/commands',
    section: 'Bot',
    summary: 'Set the commands',
    description: "Replaces the bot's commands; [] removes all.",
    body: botCommands,
    answer: nothing,
  },
  setAvatar: {
    method: 'PUT',
    path: '/v1/me/avatar',
    section: 'Bot',
    summary: 'Set the picture',
    description:
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
    summary: 'List chats',
    description: "The bot's chats, in the order in which it first saw them: all, or page by page.",
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
    summary: 'Get a chat',
    description: 'One chat.',
    params: chatParams,
    answer: chat,
  },
  acceptChat: {
    method: 'POST',
    path: '/v1/chats/{chat}/accept',
    section: 'Chats',
    summary: 'Accept a request',
    description:
      'Accepts a chat request or a group invitation: the updates of what came meanwhile are queued, in order. An accepted chat is answered as it is. With a person, the groups to which that person has invited the bot are let in, now and later.',
    params: chatParams,
    answer: chat,
  },
  getSafetyNumber: {
    method: 'GET',
    path: '/v1/people/{account}/safety-number',
    section: 'Chats',
    summary: 'Get a safety number',
    description:
      'What the bot and a person compare, over another way, to be sure that neither was given a stranger’s account instead of the other’s.',
    params: z.object({ account: accountInPath }),
    answer: safetyNumber,
  },
  createGroup: {
    method: 'POST',
    path: '/v1/groups',
    section: 'Chats',
    summary: 'Make a group',
    description: 'Makes a group with the bot as its admin.',
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
    summary: 'Get updates',
    description: `What happened in the chats, oldest first; waits up to \`timeout\` seconds when there is nothing yet. \`offset\` confirms every update below it. Unconfirmed updates are kept for ${gatewayLimits.updatesKeptMs / 3_600_000} hours, at most ${gatewayLimits.updatesKeptMax} of them; the oldest are dropped. HEAD neither confirms nor waits.`,
    query: z.object({
      offset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
        .default(0)
        .describe('The id of the last update that was handled, plus 1.'),
      timeout: wholeNumber({ min: 0, max: gatewayLimits.updatesPollTimeoutSecMax }).default(0).describe('In seconds.'),
      limit: pageLimit({ max: gatewayLimits.updatesPerPollMax, standard: gatewayLimits.updatesPerPollMax }).describe(
        'How many at most.',
      ),
    }),
    statuses: { webhook: 409 },
    answer: z.array(update),
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhook',
    section: 'Updates',
    summary: 'Get the webhook status',
    description: 'How delivery by webhook is doing.',
    answer: webhookStatus,
  },
} as const satisfies Record<string, Endpoint>

const openapiVersions = ['3.0', '3.1'] as const

const serviceEndpoints = {
  health: {
    method: 'GET',
    path: '/healthz',
    section: 'Service',
    summary: 'Check the gateway',
    description: 'Whether the gateway runs.',
    open: true,
    answer: nothing,
  },
  getMetrics: {
    method: 'GET',
    path: '/v1/metrics',
    section: 'Service',
    summary: 'Get metrics',
    description:
      "The gateway's figures in the text format of Prometheus. `METRICS_TOKEN`, where one is set, is good for this and for nothing else.",
    forScrapers: true,
    answer: z.string(),
    answerType: 'text/plain; version=0.0.4; charset=utf-8',
  },
  getOpenapi: {
    method: 'GET',
    path: '/openapi.json',
    section: 'Service',
    summary: 'Get this document',
    description: 'This API as an OpenAPI document: 3.1, or 3.0 for tools that know no other.',
    open: true,
    query: z.object({
      version: z
        .enum(openapiVersions, `${openapiVersions.join(' or ')} is required`)
        .default('3.1')
        .describe('Which version of OpenAPI.'),
    }),
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
