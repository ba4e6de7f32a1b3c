// What is refused has met nobody: no chat is opened for it, and none of the day's new people is used up.
import type { Chat } from '@postern/bot-api'
import type { MessageId } from '@postern/protocol'
import { decodeClientFrame } from '@postern/protocol/relay'
import { type Person, type TestGateway, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Api, onlineGateway } from './api.ts'
import { sendForm } from './send-form.ts'

let world: World
let alice: Person
let gateway: TestGateway
let api: Api
let calls: string[]
beforeEach(async () => {
  world = await World.start({ relayLimits: { newPeoplePerDay: 1 } })
  alice = await world.person('alice')
  ;({ gateway, api } = await onlineGateway(world))
  calls = []
  gateway.wire.outgoing = frame => {
    const asked = decodeClientFrame(frame.slice())
    if (asked.kind === 'call') calls.push(asked.name)
    return [frame]
  }
})
afterEach(() => world.stop())

const nowhere = 'a'.repeat(32) as MessageId
const tea = { question: 'Tea?', options: ['yes', 'no'] }
const past = () => Date.now() - 1000

type Refused = [what: string, ask: (path: string) => Promise<{ status: number }>, status: number]

const refused: Refused[] = [
  ['a text in reply to nothing', path => ask('POST', `${path}/messages`, { text: 'hi', reply_to: nowhere }), 400],
  ['a text that is too long', path => ask('POST', `${path}/messages`, { text: 'x'.repeat(4097) }), 400],
  ['a button of nothing', path => ask('POST', `${path}/messages`, { text: 'hi', buttons: [[{ text: 'a' }]] }), 400],
  ['a poll that is over', path => ask('POST', `${path}/polls`, { ...tea, close_ts: past() }), 400],
  ['a poll in reply to nothing', path => ask('POST', `${path}/polls`, { ...tea, reply_to: nowhere }), 400],
  ['a file in reply to nothing', path => sendForm(api, path, 'bytes', { fields: { reply_to: nowhere } }), 400],
  ['a photo that is none', path => sendForm(api, path, 'bytes', { fields: { kind: 'photo' } }), 400],
  ['a reaction', path => ask('PUT', `${path}/messages/${nowhere}/reaction`, { emoji: '👍' }), 404],
  ['a reaction taken back', path => ask('DELETE', `${path}/messages/${nowhere}/reaction`), 404],
  ['an edit', path => ask('PATCH', `${path}/messages/${nowhere}`, { text: 'hi' }), 404],
  ['a deletion', path => ask('DELETE', `${path}/messages/${nowhere}`), 404],
  ['a vote', path => ask('POST', `${path}/messages/${nowhere}/vote`, { options: [0] }), 404],
  ['a closing', path => ask('POST', `${path}/messages/${nowhere}/close`), 404],
  ['a mark as read', path => ask('POST', `${path}/read`, {}), 404],
  ['an acceptance', path => ask('POST', `${path}/accept`), 404],
]

const ask = (method: string, path: string, json?: object) => api.call(method, path, json ? { json } : {})

test.each(refused)('[GATEWAY-4.2] %s: to a person never met', async (_, refusedSend, status) => {
  expect((await refusedSend(`/v1/chats/${alice.id}`)).status).toBe(status)
  expect(await api.ok<Chat[]>('GET', '/v1/chats')).toEqual([])
  expect(calls.filter(name => ['takeKeyPackages', 'createGroup', 'commit', 'append'].includes(name))).toEqual([])
  // The one new person of the day is still to be met.
  await api.ok('POST', `/v1/chats/${alice.id}/messages`, { text: 'hello' })
  await alice.hears('hello')
})

test('[GATEWAY-4.2] a group with a bad name or a member that is nobody is not made, and nobody is counted', async () => {
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
