// A refused send reaches nobody: it opens no chat, and uses up none of the day's new people.
import { type Chat, messageIdOf } from '@postern/bot-api'
import { decodeClientFrame } from '@postern/protocol/relay'
import { expect } from 'vitest'
import type { Api } from './api.ts'
import { test as base } from './fixtures.ts'
import { sendForm } from './send-form.ts'

const nowhere = messageIdOf('a'.repeat(32))
const tea = { question: 'Tea?', options: ['yes', 'no'] }
const past = () => Date.now() - 1000

type Refused = [what: string, ask: (api: Api, path: string) => Promise<{ status: number }>, status: number]

const refused: Refused[] = [
  [
    'a text in reply to nothing',
    (api, path) => api.call('POST', `${path}/messages`, { json: { text: 'hi', reply_to: nowhere } }),
    400,
  ],
  [
    'a text that is too long',
    (api, path) => api.call('POST', `${path}/messages`, { json: { text: 'x'.repeat(4097) } }),
    400,
  ],
  [
    'a button of nothing',
    (api, path) => api.call('POST', `${path}/messages`, { json: { text: 'hi', buttons: [[{ text: 'a' }]] } }),
    400,
  ],
  [
    'a poll that is over',
    (api, path) => api.call('POST', `${path}/polls`, { json: { ...tea, close_ts: past() } }),
    400,
  ],
  [
    'a poll in reply to nothing',
    (api, path) => api.call('POST', `${path}/polls`, { json: { ...tea, reply_to: nowhere } }),
    400,
  ],
  ['a file in reply to nothing', (api, path) => sendForm(api, path, 'bytes', { fields: { reply_to: nowhere } }), 400],
  ['a photo that is none', (api, path) => sendForm(api, path, 'bytes', { fields: { kind: 'photo' } }), 400],
  [
    'a reaction',
    (api, path) => api.call('PUT', `${path}/messages/${nowhere}/reaction`, { json: { emoji: '👍' } }),
    404,
  ],
  ['a reaction taken back', (api, path) => api.call('DELETE', `${path}/messages/${nowhere}/reaction`), 404],
  ['an edit', (api, path) => api.call('PATCH', `${path}/messages/${nowhere}`, { json: { text: 'hi' } }), 404],
  ['a deletion', (api, path) => api.call('DELETE', `${path}/messages/${nowhere}`), 404],
  ['a vote', (api, path) => api.call('POST', `${path}/messages/${nowhere}/vote`, { json: { options: [0] } }), 404],
  ['a closing', (api, path) => api.call('POST', `${path}/messages/${nowhere}/close`), 404],
  ['a mark as read', (api, path) => api.call('POST', `${path}/read`, { json: {} }), 404],
  ['an acceptance', (api, path) => api.call('POST', `${path}/accept`), 404],
]

const test = base
  .extend('worldOptions', () => ({ relayLimits: { newPeoplePerDay: 1 } }))
  .extend('api', ({ online }) => online.api)
  /** The gateway's calls to the relay since it was online. */
  .extend('calls', ({ online: { gateway } }) => {
    const calls: string[] = []
    gateway.wire.outgoing = frame => {
      const asked = decodeClientFrame(frame.slice())
      if (asked.kind === 'call') calls.push(asked.name)
      return [frame]
    }
    return calls
  })

test.for(refused)('[GATEWAY-4.2] %s: to a person never met', async ([, refusedSend, status], { alice, api, calls }) => {
  expect((await refusedSend(api, `/v1/chats/${alice.id}`)).status).toBe(status)
  expect(await api.ok<Chat[]>('GET', '/v1/chats')).toEqual([])
  expect(calls.filter(name => ['takeKeyPackages', 'createGroup', 'commit', 'appendMarked'].includes(name))).toEqual([])
  // The day's one new person is still available.
  await api.ok('POST', `/v1/chats/${alice.id}/messages`, { text: 'hello' })
  await alice.hears('hello')
})

test('[GATEWAY-4.2] a group with a bad name or a member that is nobody is not made, and nobody is counted', async ({
  alice,
  api,
  calls,
}) => {
  const make = (group: object) => api.call('POST', '/v1/groups', { json: group })
  expect((await make({ name: '', members: [alice.id] })).status).toBe(400)
  expect((await make({ name: 'x'.repeat(129), members: [alice.id] })).status).toBe(400)
  expect((await make({ name: 'club', members: [alice.id, 'nobody'] })).status).toBe(400)
  expect((await make({ name: 'club', members: Array(1000).fill(alice.id) })).status).toBe(400)
  expect((await make({ name: 'club', members: [alice.id, 'a'.repeat(32)] })).status).toBe(404)
  expect(await api.ok<Chat[]>('GET', '/v1/chats')).toEqual([])
  expect(calls.filter(name => ['createGroup', 'commit'].includes(name))).toEqual([])
  await api.ok('POST', '/v1/groups', { name: 'club', members: [alice.id] })
  await alice.next('chat')
})
