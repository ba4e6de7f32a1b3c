// Group management: whatever a member may do in a group, a bot does over the API, once for each key.
import type { Chat } from '@postern/bot-api'
import { expect } from 'vitest'
import { onlineGateway } from './api.ts'
import { test } from './fixtures.ts'
import { badRequest, grouped, notFound } from './talking.ts'
import { unknownId } from './wrong-bodies.ts'

const key = (name: string) => ({ headers: { 'idempotency-key': name } })

test('[GATEWAY-4.27] a bot renames a group, sets its timer, adds, removes and appoints people, and leaves', async ({
  alice,
  bob,
  online: { api },
}) => {
  const { path, chat } = await grouped(api, [alice])
  const changed = await api.ok<Chat>('PATCH', path, { name: 'renamed', timer_ms: 60_000 })
  expect(changed).toMatchObject({ id: chat, name: 'renamed', timer_ms: 60_000 })
  await alice.next('chat', ({ chat }) => chat.name === 'renamed' && chat.timer_ms === 60_000)
  expect(await api.ok('PATCH', path, {})).toEqual(changed)
  const added = await api.ok<Chat>('POST', `${path}/members`, { add: [bob.id, alice.id] })
  expect(added.members.map(({ id }) => id)).toContain(bob.id)
  await bob.next('chat', ({ chat_id }) => chat_id === chat)
  const appointed = await api.ok<Chat>('PUT', `${path}/members/${alice.id}/admin`, { admin: true })
  expect(appointed.members.find(({ id }) => id === alice.id)).toMatchObject({ admin: true })
  const removed = await api.ok<Chat>('DELETE', `${path}/members/${bob.id}`)
  expect(removed.members.map(({ id }) => id)).not.toContain(bob.id)
  await bob.next('chat', ({ chat_id, chat: seen }) => chat_id === chat && seen.state === 'left')
  expect(await api.ok('POST', `${path}/leave`)).toEqual({})
  expect(await api.ok('GET', path)).toMatchObject({ state: 'left' })
})

test('[GATEWAY-4.28] under one key a change is made once, also with both fields and after a restart', async ({
  world,
  alice,
  bob,
  online: { gateway, api },
}) => {
  const { path } = await grouped(api, [alice])
  const json = { name: 'first', timer_ms: 60_000 }
  expect(await api.call('PATCH', path, { json, ...key('k') })).toMatchObject({ status: 200, body: json })
  await api.ok('PATCH', path, { name: 'second', timer_ms: 0 })
  // A repetition does not undo what came after it.
  expect(await api.call('PATCH', path, { json, ...key('k') })).toMatchObject({
    status: 200,
    body: { name: 'second', timer_ms: 0 },
  })
  const conflict = badRequest(/^Idempotency-Key: was already used with a different request/)
  expect(await api.call('PATCH', path, { json: { name: 'other' }, ...key('k') })).toEqual(conflict)
  expect(await api.call('POST', `${path}/leave`, key('k'))).toEqual(conflict)
  expect(await api.call('POST', `${path}/members`, { json: { add: [bob.id] }, ...key('add') })).toMatchObject({
    status: 200,
  })
  expect(await api.call('DELETE', `${path}/members/${bob.id}`, key('remove'))).toMatchObject({ status: 200 })
  await world.closeGateway(gateway)
  const again = await onlineGateway(world)
  for (const [method, rest, options] of [
    ['POST', '/members', { json: { add: [bob.id] }, ...key('add') }],
    ['DELETE', `/members/${bob.id}`, key('remove')],
  ] as const) {
    const { status, body } = await again.api.call<Chat>(method, `${path}${rest}`, options)
    expect([status, body.members.map(({ id }) => id).includes(bob.id)]).toEqual([200, false])
  }
})

test('[GATEWAY-4.29] what may not be done is refused by its rule, and changes nothing', async ({
  alice,
  bob,
  talking: { gateway, api, path: toAlice },
}) => {
  const { path, chat } = await grouped(api, [alice])
  const before = await api.ok('GET', path)
  const { account } = gateway.client
  const refused = async (method: string, rest: string, json?: object) =>
    await api.call(method, `${path}${rest}`, json ? { json } : {})
  expect(await refused('PATCH', '', { name: '' })).toEqual(badRequest(/^name: /))
  expect(await refused('PATCH', '', { timer_ms: -1 })).toEqual(
    badRequest(/^timer_ms: must be a whole number from 0 to /),
  )
  expect(await refused('POST', '/members', { add: [] })).toEqual(badRequest('add: must have at least 1 entry.'))
  expect(await refused('POST', '/members', { add: ['x'] })).toEqual(badRequest('add[0]: is not a valid account id.'))
  expect(await refused('POST', '/members', { add: [unknownId] })).toMatchObject({ status: 404 })
  expect(await refused('DELETE', `/members/${bob.id}`)).toEqual(badRequest(/is not a member of the chat/))
  expect(await refused('DELETE', '/members/x')).toEqual(notFound(/^No account x /))
  expect(await refused('DELETE', `/members/${account}`)).toEqual(badRequest(/^account: is the bot itself/))
  expect(await refused('PUT', `/members/${bob.id}/admin`, { admin: true })).toEqual(badRequest(/is not a member/))
  expect(await refused('PUT', `/members/${alice.id}/admin`, { admin: 1 })).toEqual(
    badRequest('admin: must be true or false.'),
  )
  expect(await refused('PUT', `/members/${account}/admin`, { admin: false })).toEqual(
    badRequest('A group needs an admin. Make somebody else an admin first.'),
  )
  expect(await api.ok('GET', path)).toEqual(before)
  const notAGroup = badRequest('The chat is not a group.')
  expect(await api.call('PATCH', toAlice, { json: { name: 'x' } })).toEqual(notAGroup)
  expect(await api.call('POST', `${toAlice}/leave`)).toEqual(notAGroup)
  expect(await api.call('POST', `/v1/chats/${unknownId}/leave`)).toMatchObject({ status: 404 })
  await api.ok('PUT', `${path}/members/${alice.id}/admin`, { admin: true })
  await api.ok('PUT', `${path}/members/${account}/admin`, { admin: false })
  const notAnAdmin = badRequest(/^Only an admin of the group can /)
  expect(await refused('DELETE', `/members/${alice.id}`)).toEqual(notAnAdmin)
  expect(await refused('PUT', `/members/${account}/admin`, { admin: true })).toEqual(notAnAdmin)
  await api.ok('POST', `${path}/leave`)
  expect(await refused('PATCH', '', { name: 'too late' })).toEqual(badRequest(/no longer in the chat/))
  expect(await api.ok('GET', path)).toMatchObject({ id: chat, state: 'left' })
})
