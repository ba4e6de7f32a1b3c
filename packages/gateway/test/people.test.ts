// The decisions of a bot about people: declining, blocking, and comparing safety numbers.
import { type Chat, type Message, type Person, safetyNumber } from '@postern/bot-api'
import { privateChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { onlineGateway, SOON } from './api.ts'
import { test } from './fixtures.ts'
import { badRequest, notFound } from './talking.ts'
import { unknownId } from './wrong-bodies.ts'

const requesting = { ACCEPT_REQUESTS: 'contacts' }
const chatNotFound = notFound(/^There is no chat /)

test('[GATEWAY-4.40] a declined request is gone with its messages, and none of its updates ever comes', async ({
  world,
  alice,
  bob,
}) => {
  const { gateway, api } = await onlineGateway(world, requesting)
  const toBot = privateChatId(gateway.client.account)
  await bob.say(toBot, 'buy this')
  expect((await api.next('chat')).chat).toMatchObject({ id: bob.id, state: 'request' })
  const path = `/v1/chats/${bob.id}`
  await expect.poll(async () => (await api.call<Message[]>('GET', `${path}/messages`)).body, SOON).toHaveLength(1)
  expect(await api.ok('POST', `${path}/decline`)).toEqual({})
  expect(await api.call('GET', path)).toEqual(chatNotFound)
  expect(await api.call('POST', `${path}/decline`)).toEqual(chatNotFound)
  expect(await api.call('POST', `${path}/accept`)).toEqual(chatNotFound)
  expect(await api.ok('GET', '/v1/chats')).toEqual([])
  // The person may ask again, and has not learnt anything.
  await bob.say(toBot, 'please')
  expect((await api.next('chat')).chat).toMatchObject({ id: bob.id, state: 'request' })
  await api.ok('POST', `${path}/accept`)
  expect((await api.next('message')).message.text).toBe('please')
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat', ({ chat }) => chat.members.some(({ id }) => id === alice.id))
})

test('[GATEWAY-4.40] a chat that is no request is not declined, and keeps everything', async ({
  alice,
  talking: { api, path, toBot },
}) => {
  await alice.say(toBot, 'hello')
  await api.next('message')
  const before = await api.ok<Chat>('GET', path)
  expect(await api.call('POST', `${path}/decline`)).toEqual(
    badRequest('The chat is not a request. Leave it, or block the person.'),
  )
  expect(await api.ok('GET', path)).toEqual(before)
  expect((await api.ok<Message[]>('GET', `${path}/messages`)).map(({ text }) => text)).toEqual(['hello'])
  expect(await api.call('POST', `/v1/chats/${unknownId}/decline`)).toEqual(chatNotFound)
})

test('[GATEWAY-4.40] accepted and declined in the same moment, a request is one or the other as a whole', async ({
  world,
  bob,
}) => {
  const { gateway, api } = await onlineGateway(world, requesting)
  await bob.say(privateChatId(gateway.client.account), 'hello')
  await api.next('chat')
  const path = `/v1/chats/${bob.id}`
  await expect.poll(async () => (await api.call<Message[]>('GET', `${path}/messages`)).body, SOON).toHaveLength(1)
  const [accepted, declined] = await Promise.all(['accept', 'decline'].map(what => api.call('POST', `${path}/${what}`)))
  const kept = await api.call<Message[]>('GET', `${path}/messages`)
  if (declined?.status === 200) expect([accepted, kept]).toEqual([chatNotFound, chatNotFound])
  else expect([accepted?.status, declined?.status, kept.body.length]).toEqual([200, 400, 1])
})

test('[GATEWAY-4.40] an invitation to a group is declined: the bot leaves it', async ({ world, bob, alice }) => {
  const { gateway, api } = await onlineGateway(world, requesting)
  const { account } = gateway.client
  const group = await bob.client.chats.createGroup({ name: 'ads', members: [account, alice.id] }, WITHIN)
  await api.next('chat', ({ chat }) => chat.id === group.id && chat.state === 'request')
  expect(await api.ok('POST', `/v1/chats/${group.id}/decline`)).toEqual({})
  expect(await api.call('GET', `/v1/chats/${group.id}`)).toEqual(chatNotFound)
  await bob.next('notice', ({ notice }) => notice.code === 'left' && notice.from?.id === account)
})

test('[GATEWAY-4.41] a blocked person reaches the bot no more, also after a restart, and cannot tell', async ({
  world,
  alice,
  bob,
}) => {
  const { gateway, api } = await onlineGateway(world)
  for (const person of [alice, bob]) {
    await person.openInvite((await api.me()).invite_url)
    await api.next('chat')
  }
  const toBot = privateChatId(gateway.client.account)
  const block = `/v1/people/${alice.id}/block`
  for (const _ of ['first', 'again']) expect(await api.ok('PUT', block)).toEqual({})
  expect(await api.ok('GET', `/v1/chats/${alice.id}`)).toMatchObject({ blocked: true })
  expect(await api.ok<Person[]>('GET', '/v1/blocked')).toEqual([{ id: alice.id, name: 'alice' }])
  await world.closeGateway(gateway)
  const again = await onlineGateway(world)
  await alice.say(toBot, 'let me in')
  await alice.openInvite((await again.api.me()).invite_url)
  await bob.say(toBot, 'hello')
  // Her messages came to the relay ahead of his.
  expect((await again.api.next('message')).message).toMatchObject({ from: { id: bob.id }, text: 'hello' })
  expect(await again.api.ok('GET', `/v1/chats/${alice.id}/messages`)).toEqual([])
  expect(await again.api.send(alice.id, { text: 'no' })).toEqual(
    badRequest('The person is blocked. Unblock them before you write to them.'),
  )
})

test('[GATEWAY-4.41] blocking declines what waits because of that person: the request and the invitations', async ({
  world,
  bob,
  alice,
}) => {
  const { gateway, api } = await onlineGateway(world, requesting)
  const { account } = gateway.client
  await bob.say(privateChatId(account), 'buy this')
  await api.next('chat', ({ chat }) => chat.members.some(({ id }) => id === bob.id))
  const group = await bob.client.chats.createGroup({ name: 'ads', members: [account, alice.id] }, WITHIN)
  await api.next('chat', ({ chat }) => chat.id === group.id)
  await api.ok('PUT', `/v1/people/${bob.id}/block`)
  for (const chat of [bob.id, group.id]) expect(await api.call('GET', `/v1/chats/${chat}`)).toEqual(chatNotFound)
  await bob.next('notice', ({ notice }) => notice.code === 'left' && notice.from?.id === account)
})

test('[GATEWAY-4.42] an unblocked person is received again; what was sent meanwhile is not', async ({
  alice,
  bob,
  talking: { api, path, toBot },
}) => {
  const block = `/v1/people/${alice.id}/block`
  await bob.openInvite((await api.me()).invite_url)
  await api.next('chat', ({ chat }) => chat.members.some(({ id }) => id === bob.id))
  await api.ok('PUT', block)
  await alice.say(toBot, 'meanwhile')
  await bob.say(toBot, 'behind it')
  await api.next('message', ({ message }) => message.text === 'behind it')
  for (const _ of ['first', 'again']) expect(await api.ok('DELETE', block)).toEqual({})
  expect(await api.ok('GET', '/v1/blocked')).toEqual([])
  await alice.say(toBot, 'now')
  expect((await api.next('message')).message.text).toBe('now')
  expect((await api.ok<Message[]>('GET', `${path}/messages`)).map(({ text }) => text)).toEqual(['now'])
  expect((await api.send(alice.id, { text: 'welcome back' })).status).toBe(200)
})

test('[GATEWAY-4.42] the bot does not block itself, and what is no account is 404', async ({
  online: { gateway, api },
}) => {
  expect(await api.call('PUT', `/v1/people/${gateway.client.account}/block`)).toEqual(badRequest(/^account: /))
  for (const method of ['PUT', 'DELETE'])
    expect(await api.call(method, '/v1/people/x/block')).toEqual(notFound(/^No account x /))
  expect(await api.ok('GET', '/v1/blocked')).toEqual([])
})

test('[GATEWAY-4.43] a number that a person reads out or shows is compared, noted, and taken back', async ({
  world,
  alice,
  talking: { gateway, api, path },
}) => {
  const at = `/v1/people/${alice.id}/safety-number`
  const seen = await alice.client.identity.safetyNumber(gateway.client.account, WITHIN)
  expect(safetyNumber.parse(await api.ok('GET', at))).toMatchObject({ number: seen.number, verified: false })
  for (const number of [seen.number, seen.number.replaceAll(' ', ''), seen.number.replaceAll(' ', '\n'), seen.qr]) {
    expect(await api.ok('PUT', at, { verified: true, number })).toMatchObject({ qr: seen.qr, verified: true })
    expect(await api.ok('GET', path)).toMatchObject({ verified: true })
    expect(await api.ok('PUT', at, { verified: false })).toMatchObject({ verified: false })
    expect(await api.ok('GET', path)).not.toHaveProperty('verified')
  }
  expect(await api.ok('PUT', at, { verified: true })).toMatchObject({ verified: true })
  await world.closeGateway(gateway)
  const again = await onlineGateway(world)
  expect(await again.api.ok('GET', at)).toMatchObject({ verified: true })
})

test('[GATEWAY-4.43] the number of somebody in between is refused, and nothing is noted', async ({
  alice,
  bob,
  talking: { gateway, api, path },
}) => {
  const at = `/v1/people/${alice.id}/safety-number`
  const seen = await alice.client.identity.safetyNumber(gateway.client.account, WITHIN)
  const between = await bob.client.identity.safetyNumber(gateway.client.account, WITHIN)
  const wrong = [between.number, between.qr, seen.number.slice(0, -1), `${seen.number}0`, seen.qr.toLowerCase(), '   ']
  for (const number of wrong)
    expect(await api.call('PUT', at, { json: { verified: true, number } })).toEqual(
      badRequest(/^number: is not the safety number of this person/),
    )
  expect(await api.call('PUT', at, { json: { verified: false, number: seen.number } })).toEqual(
    badRequest('number: must be absent when verified is false.'),
  )
  expect(await api.call('PUT', at, { json: { verified: 'yes' } })).toEqual(
    badRequest('verified: must be true or false.'),
  )
  expect(await api.call('PUT', `/v1/people/${unknownId}/safety-number`, { json: { verified: true } })).toMatchObject({
    status: 404,
  })
  expect(await api.ok('GET', path)).not.toHaveProperty('verified')
})
