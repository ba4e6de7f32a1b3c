// The one table of endpoints: routes, validation, the OpenAPI document and docs/api.md derive from it.
import { gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import { chatParams, type Endpoint, nothing, sendHeaders } from './endpoint.ts'
import { namedChat, wholeNumber } from './field-rules.ts'
import { groupEndpoints } from './group-endpoints.ts'
import { groupLinkEndpoints } from './group-link-endpoints.ts'
import { hookEndpoints } from './hook-endpoints.ts'
import { inviteEndpoints } from './invite-endpoints.ts'
import { messageEndpoints } from './message-endpoints.ts'
import { bot, chat } from './objects.ts'
import { peopleEndpoints } from './people-endpoints.ts'
import { pollEndpoints, pressEndpoints } from './poll-endpoints.ts'
import { botChange, botCommands, newDraft, newGroup } from './requests.ts'
import { tokenEndpoints } from './token-endpoints.ts'
import { updateEndpoints } from './update-endpoints.ts'
import { webhookEndpoints } from './webhook-endpoints.ts'

const botEndpoints = {
  getMe: {
    method: 'GET',
    path: '/v1/me',
    section: 'Bot',
    scopes: ['read'],
    reach: 'none',
    summary: 'Get the bot',
    description:
      'The bot: its name, its invite link, its commands, and how many new people it may still write to today.',
    answer: bot,
  },
  changeMe: {
    method: 'PATCH',
    path: '/v1/me',
    section: 'Bot',
    scopes: ['admin'],
    summary: 'Change the bot',
    description: "Changes the bot's name or description; absent fields stay unchanged.",
    body: botChange,
    answer: bot,
  },
  newInvite: {
    method: 'POST',
    path: '/v1/me/invite',
    section: 'Bot',
    scopes: ['admin'],
    summary: 'Create an invite link',
    description:
      'Creates a new invite link; older links stop working. A person with an older link still knows the account id, and can read the profile with the key in the link.',
    answer: bot,
  },
  setCommands: {
    method: 'PUT',
    path: '/v1/me/commands',
    section: 'Bot',
    scopes: ['admin'],
    summary: 'Set the commands',
    description: "Replaces the bot's commands; [] removes all.",
    body: botCommands,
    answer: nothing,
  },
  setAvatar: {
    method: 'PUT',
    path: '/v1/me/avatar',
    section: 'Bot',
    scopes: ['admin'],
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
    scopes: ['read'],
    reach: ['query.after'],
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
    scopes: ['read'],
    reach: ['params.chat'],
    summary: 'Get a chat',
    description: 'One chat.',
    params: chatParams,
    answer: chat,
  },
  acceptChat: {
    method: 'POST',
    path: '/v1/chats/{chat}/accept',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Accept a request',
    description:
      'Accepts a chat request or a group invitation. Updates that arrived meanwhile are queued, in order. If the chat is already accepted, it is returned unchanged. Accepting a person also accepts the groups to which that person has invited the bot, now and later.',
    params: chatParams,
    answer: chat,
  },
  declineChat: {
    method: 'POST',
    path: '/v1/chats/{chat}/decline',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Decline a request',
    description:
      'Removes a chat request or a group invitation, with everything that came with it. The person is not notified and may ask again; a group is left. A chat that is no request is 400 and stays as it is.',
    params: chatParams,
    answer: nothing,
  },
  sendTyping: {
    method: 'POST',
    path: '/v1/chats/{chat}/typing',
    section: 'Chats',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Show typing',
    description:
      'The people in the chat see for 8 seconds that the bot is typing, or until its next message. Repeat it while the work takes longer: it is sent at most once in 4 seconds. It is encrypted like a message and stored nowhere; who is not connected does not see it, nor does a person who has not accepted the chat.',
    params: chatParams,
    answer: nothing,
  },
  sendDraft: {
    method: 'POST',
    path: '/v1/chats/{chat}/draft',
    section: 'Messages',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Show a growing text',
    description:
      'Shows the people in the chat a text that the bot is still making, such as the answer of a language model, for 30 seconds or until the bot’s next message. Send the text so far with each call, and at the end the message itself. A draft is encrypted, and nobody stores it: a person who is not connected sees the message alone, and so does an older app. It is sent at most twice a second, and less often to more than 40 people; a call that comes earlier answers {} and does nothing.',
    params: chatParams,
    body: newDraft,
    answer: nothing,
  },
  createGroup: {
    method: 'POST',
    path: '/v1/groups',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Create a group',
    description: 'Creates a group with the bot as its admin.',
    headers: sendHeaders,
    body: newGroup,
    statuses: { not_found: 404 },
    answer: chat,
  },
} as const satisfies Record<string, Endpoint>

const openapiVersions = ['3.0', '3.1'] as const

const serviceEndpoints = {
  health: {
    method: 'GET',
    path: '/healthz',
    section: 'Service',
    summary: 'Check the gateway',
    description: 'Whether the gateway runs. For a liveness probe: it answers 200 without a relay, too.',
    open: true,
    answer: nothing,
  },
  ready: {
    method: 'GET',
    path: '/readyz',
    section: 'Service',
    summary: 'Check the connection',
    description:
      'Whether the bot is online at its relay. Otherwise the answer is 503, and its sentence says why. For a readiness probe.',
    open: true,
    answer: nothing,
  },
  getMetrics: {
    method: 'GET',
    path: '/v1/metrics',
    section: 'Service',
    scopes: ['read'],
    reach: 'all',
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
  ...inviteEndpoints,
  ...chatEndpoints,
  ...peopleEndpoints,
  ...groupEndpoints,
  ...groupLinkEndpoints,
  ...messageEndpoints,
  ...pollEndpoints,
  ...pressEndpoints,
  ...updateEndpoints,
  ...webhookEndpoints,
  ...hookEndpoints,
  ...tokenEndpoints,
  ...serviceEndpoints,
} as const satisfies Record<string, Endpoint>

export type Endpoints = typeof endpoints
export type EndpointName = keyof Endpoints
