// The endpoints about people: their profiles, their safety numbers, and whom the bot has blocked.
import { z } from 'zod'
import { type Endpoint, nothing } from './endpoint.ts'
import { accountInPath } from './field-rules.ts'
import { person, personProfile, safetyNumber } from './objects.ts'
import { comparison } from './requests.ts'

const section = 'Chats'
const personParams = z.object({ account: accountInPath })

export const peopleEndpoints = {
  getPerson: {
    method: 'GET',
    path: '/v1/people/{account}',
    section,
    scopes: ['read'],
    reach: 'own',
    summary: 'Get a person',
    description:
      'The profile of a person who shares a chat with the bot, or has written to it: as the person has signed it, and as far as it has arrived. It is kept here, so the answer does not need the relay. Other accounts are 404.',
    params: personParams,
    answer: personProfile,
  },
  getSafetyNumber: {
    method: 'GET',
    path: '/v1/people/{account}/safety-number',
    section,
    scopes: ['read'],
    reach: 'own',
    summary: 'Get a safety number',
    description:
      'A number that the bot and a person compare over another channel, to make sure that nobody intercepts the chat.',
    params: personParams,
    answer: safetyNumber,
  },
  compareSafetyNumber: {
    method: 'PUT',
    path: '/v1/people/{account}/safety-number',
    section,
    scopes: ['admin'],
    summary: 'Note a compared number',
    description:
      'Notes that the safety number of a person was compared, or takes that back. With `number`, the gateway compares: if it is not the number of this person, the answer is 400, and nothing is noted.',
    params: personParams,
    body: comparison,
    answer: safetyNumber,
  },
  listBlocked: {
    method: 'GET',
    path: '/v1/blocked',
    section,
    scopes: ['admin'],
    summary: 'List blocked people',
    description: 'The people whom the bot has blocked.',
    answer: z.array(person),
  },
  blockPerson: {
    method: 'PUT',
    path: '/v1/people/{account}/block',
    section,
    scopes: ['admin'],
    summary: 'Block a person',
    description:
      'From then on the bot receives nothing from this person, except in groups that both share with others, and cannot write to them. The person cannot tell it from silence. Requests of this person, and invitations to groups by them, are declined. Earlier messages and updates stay.',
    params: personParams,
    answer: nothing,
  },
  unblockPerson: {
    method: 'DELETE',
    path: '/v1/people/{account}/block',
    section,
    scopes: ['admin'],
    summary: 'Unblock a person',
    description: 'The bot receives the messages of this person again. Messages that were sent meanwhile are lost.',
    params: personParams,
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>
