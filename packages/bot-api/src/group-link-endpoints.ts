// The endpoints of links to groups: making and revoking them, deciding who joins, and asking for a place by one.
import { clientLimits } from '@postern/protocol'
import { z } from 'zod'
import { chatParams, type Endpoint, nothing } from './endpoint.ts'
import { accountInPath, chatInPath, STRING } from './field-rules.ts'
import { accountId } from './ids.ts'
import { chat, person } from './objects.ts'

const section = 'Chats'
const OBJECT = 'must be a JSON object'
const token = z.string().describe('The token of a link.')
const { groupLinksMax, joinRequestsMax } = clientLimits

export const groupLink = z.object({
  token: z.string().describe('Names the link in this API, and is the secret in it.'),
  url: z.string().describe('The link, with the current title of the group.'),
  ts: z.int().describe('When it was created.'),
})

export const waitingRequest = z.object({ from: person, ts: z.int().describe('When the person asked.') })

export const askedJoin = z.object({
  account: accountId.describe('The admin who made the link.'),
  token: z.string(),
  title: z.string().describe('The title of the group as the link claims it.'),
  ts: z.int(),
  state: z.enum(['waiting', 'declined']),
})

const joinDecision = z.object({ add: z.boolean('must be true or false') }, OBJECT)
const joinAsked = z.object({ link: z.string(STRING).describe('A link to a group.') }, OBJECT)

export const groupLinkEndpoints = {
  createGroupLink: {
    method: 'POST',
    path: '/v1/chats/{chat}/links',
    section,
    scopes: ['admin'],
    summary: 'Create a group link',
    description: `Creates a link by which people ask for a place in a group. Only an admin may do this, and the link counts while the bot is one. Nobody is added before you say so. There are at most ${groupLinksMax} links to a group.`,
    params: chatParams,
    answer: groupLink,
  },
  listGroupLinks: {
    method: 'GET',
    path: '/v1/chats/{chat}/links',
    section,
    scopes: ['admin'],
    summary: 'List group links',
    description: "The bot's links to a group, oldest first; none if the bot is no admin.",
    params: chatParams,
    answer: z.array(groupLink),
  },
  revokeGroupLink: {
    method: 'DELETE',
    path: '/v1/chats/{chat}/links/{token}',
    section,
    scopes: ['admin'],
    summary: 'Revoke a group link',
    description: 'Revokes a link to a group. The requests of people who came by it are gone with it.',
    params: z.object({ chat: chatInPath, token }),
    answer: nothing,
  },
  listJoinRequests: {
    method: 'GET',
    path: '/v1/chats/{chat}/join-requests',
    section,
    scopes: ['admin'],
    summary: 'List join requests',
    description: `The people who wait for a place in a group by the bot's links, oldest first; at most ${joinRequestsMax}.`,
    params: chatParams,
    answer: z.array(waitingRequest),
  },
  answerJoinRequest: {
    method: 'POST',
    path: '/v1/chats/{chat}/join-requests/{account}',
    section,
    scopes: ['admin'],
    summary: 'Answer a join request',
    description:
      'Adds a person who waits for a place in a group, or declines. A person who is declined learns it, and cannot ask by the same link again. A person who does not wait is 404, also after the answer.',
    params: z.object({ chat: chatInPath, account: accountInPath }),
    body: joinDecision,
    answer: chat,
  },
  askToJoin: {
    method: 'POST',
    path: '/v1/join-requests',
    section,
    scopes: ['admin'],
    summary: 'Ask for a place',
    description:
      'Asks for a place in a group, by a link to it. The admin who made the link learns the account and the name of the bot, and decides. Asking again by the same link sends nothing.',
    body: joinAsked,
    statuses: { not_found: 404 },
    answer: askedJoin,
  },
  listAskedJoins: {
    method: 'GET',
    path: '/v1/join-requests',
    section,
    scopes: ['admin'],
    summary: 'List places asked for',
    description:
      'The requests of the bot that wait or were declined, oldest first. A granted one is gone: the group is there.',
    answer: z.array(askedJoin),
  },
  forgetAskedJoin: {
    method: 'DELETE',
    path: '/v1/join-requests/{account}/{token}',
    section,
    scopes: ['admin'],
    summary: 'Forget a join request',
    description:
      'Forgets a request of the bot here; the admin is not notified. If the admin adds the bot all the same, the group waits as a request.',
    params: z.object({ account: accountInPath, token }),
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>
