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
    description: "Changes the bot's name or description; absent fields stay unchanged.",
    body: botChange,
    answer: bot,
  },
  newInvite: {
    method: 'POST',
    path: '/v1/me/invite',
    section: 'Bot',
    summary: 'Create an invite link',
    description:
      'Creates a new invite link; older links stop working. A person with an older link still knows the account id, and can read the profile with the key in the link.',
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
      after: namedChat.optional().describe('The next page: the chats after this one, the last of the previous page.'),
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
      'Accepts a chat request or a group invitation. Updates that arrived meanwhile are queued, in order. If the chat is already accepted, it is returned unchanged. Accepting a person also accepts the groups to which that person has invited the bot, now and later.',
    params: chatParams,
    answer: chat,
  },
  getSafetyNumber: {
    method: 'GET',
    path: '/v1/people/{account}/safety-number',
    section: 'Chats',
    summary: 'Get a safety number',
    description:
      'A number that the bot and a person compare over another channel, to make sure that nobody intercepts the chat.',
    params: z.object({ account: accountInPath }),
    answer: safetyNumber,
  },
  createGroup: {
    method: 'POST',
    path: '/v1/groups',
    section: 'Chats',
    summary: 'Create a group',
    description: 'Creates a group with the bot as its admin.',
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
    description: `Returns updates, oldest first; waits up to \`timeout\` seconds if there are none yet. \`offset\` confirms every update below it. Unconfirmed updates are kept for ${gatewayLimits.updatesKeptMs / 3_600_000} hours, at most ${gatewayLimits.updatesKeptMax} of them; the oldest are dropped. HEAD neither confirms nor waits.`,
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
    description: 'The status of webhook delivery.',
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
      "The gateway's metrics in the text format of Prometheus. `METRICS_TOKEN`, if set, is valid only for this endpoint.",
    forScrapers: true,
    answer: z.string(),
    answerType: 'text/plain; version=0.0.4; charset=utf-8',
  },
  getOpenapi: {
    method: 'GET',
    path: '/openapi.json',
    section: 'Service',
    summary: 'Get this document',
    description: 'This API as an OpenAPI document: 3.1, or 3.0 for tools that support no other version.',
    open: true,
    query: z.object({
      version: z
        .enum(openapiVersions, `must be ${openapiVersions.join(' or ')}`)
        .default('3.1')
        .describe('The version of OpenAPI.'),
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
