// Links to groups and pictures of groups: a bot does over the API everything that people do in the app.
import type { Chat, Person } from '@postern/bot-api'
import { gatewayLimits } from '@postern/protocol'
import { parseGroupLink } from '@postern/protocol/content'
import { WITHIN } from '@postern/testkit'
import { blackPng } from '@postern/testkit/pictures'
import { expect } from 'vitest'
import { onlineGateway, SOON } from './api.ts'
import { test } from './fixtures.ts'
import { badRequest, grouped, notFound } from './talking.ts'
import { unknownId } from './wrong-bodies.ts'

type Link = { token: string; url: string; ts: number }
type Waiting = { from: Person; ts: number }

const memberIds = ({ members }: Pick<Chat, 'members'>) => members.map(({ id }) => id)
const noLink = notFound(/^There is no such link to the group/)

test('[GATEWAY-4.44] people ask for a place by a link of the bot, which learns it by an update, and decides', async ({
  world,
  alice,
  bob,
  carol,
  online: { gateway, api },
}) => {
  const { path, chat } = await grouped(api, [alice])
  const link = await api.ok<Link>('POST', `${path}/links`)
  expect(await api.ok('GET', `${path}/links`)).toEqual([link])
  for (const person of [bob, carol]) {
    await person.client.groupLinks.ask(parseGroupLink(link.url), WITHIN)
    const asked = await api.next('join_request')
    expect([asked.chat_id, asked.join_request.from.id]).toEqual([chat, person.id])
  }
  await world.closeGateway(gateway)
  const again = await onlineGateway(world)
  const requests = async () =>
    (await again.api.ok<Waiting[]>('GET', `${path}/join-requests`)).map(({ from }) => from.id)
  expect(await requests()).toEqual([bob.id, carol.id])
  const answer = (id: string, add: boolean) =>
    again.api.call<Chat>('POST', `${path}/join-requests/${id}`, { json: { add } })
  // Asked for, and nothing more: nobody is added before the bot says so.
  expect(memberIds(await again.api.ok<Chat>('GET', path))).not.toContain(bob.id)
  const added = await answer(bob.id, true)
  expect([added.status, memberIds(added.body).includes(bob.id)]).toEqual([200, true])
  await bob.next('chat', ({ chat_id, chat: seen }) => chat_id === chat && seen.state === 'active')
  const declined = await answer(carol.id, false)
  expect([declined.status, memberIds(declined.body).includes(carol.id)]).toEqual([200, false])
  await expect.poll(() => carol.client.groupLinks.asked().map(({ state }) => state), SOON).toEqual(['declined'])
  expect(await requests()).toEqual([])
  for (const { id } of [bob, carol])
    expect(await answer(id, true)).toEqual(notFound(/does not wait for a place in the group/))
})

test('[GATEWAY-4.45] a revoked link lets nobody ask, and what the bot may not do is refused by its rule', async ({
  alice,
  bob,
  talking: { gateway, api, path: toAlice },
}) => {
  const { path } = await grouped(api, [alice])
  const link = await api.ok<Link>('POST', `${path}/links`)
  await bob.client.groupLinks.ask(parseGroupLink(link.url), WITHIN)
  await api.next('join_request')
  const answered = `${path}/join-requests/${bob.id}`
  expect(await api.call('POST', answered, { json: {} })).toEqual(badRequest('add: must be true or false.'))
  expect(await api.ok('DELETE', `${path}/links/${link.token}`)).toEqual({})
  expect(await api.call('DELETE', `${path}/links/${link.token}`)).toEqual(noLink)
  expect(await api.ok('GET', `${path}/links`)).toEqual([])
  expect(await api.ok('GET', `${path}/join-requests`)).toEqual([])
  expect(await api.call('POST', answered, { json: { add: true } })).toMatchObject({ status: 404 })
  expect(await api.call('POST', `${toAlice}/links`)).toEqual(badRequest('The chat is not a group.'))
  for (const [method, what] of [
    ['GET', 'links'],
    ['POST', 'links'],
    ['GET', 'join-requests'],
  ] as const)
    expect(await api.call(method, `/v1/chats/${unknownId}/${what}`)).toMatchObject({ status: 404 })
  await api.ok('PUT', `${path}/members/${alice.id}/admin`, { admin: true })
  const kept = await api.ok<Link>('POST', `${path}/links`)
  await api.ok('PUT', `${path}/members/${gateway.client.account}/admin`, { admin: false })
  expect(await api.call('POST', `${path}/links`)).toEqual(badRequest(/^Only an admin of the group can /))
  // Nobody else can revoke it.
  expect(await api.ok('DELETE', `${path}/links/${kept.token}`)).toEqual({})
})

test('[GATEWAY-4.46] the bot asks for a place by a link, is added or declined, and forgets its request', async ({
  alice,
  bob,
  online: { gateway, api },
}) => {
  const { account } = gateway.client
  const [team, other] = [
    await alice.client.chats.createGroup({ name: 'Team', members: [bob.id] }, WITHIN),
    await alice.client.chats.createGroup({ name: 'Other', members: [bob.id] }, WITHIN),
  ]
  const ask = async (chat: typeof team.id) => {
    const { url, token } = await alice.client.groupLinks.make(chat)
    const asked = await api.ok('POST', '/v1/join-requests', { link: url })
    expect(asked).toMatchObject({ account: alice.id, token, state: 'waiting' })
    // Again by the same link: nothing is sent.
    expect(await api.ok('POST', '/v1/join-requests', { link: url })).toEqual(asked)
    await alice.next('join_request', ({ chat_id }) => chat_id === chat)
    return token
  }
  await ask(team.id)
  await alice.client.groupLinks.add(team.id, account, WITHIN)
  await api.next('chat', ({ chat }) => chat.id === team.id && chat.state === 'active')
  const token = await ask(other.id)
  await alice.client.groupLinks.decline(other.id, account)
  const asked = () => api.ok<{ title: string; state: string }[]>('GET', '/v1/join-requests')
  await expect
    .poll(async () => (await asked()).map(({ title, state }) => [title, state]), SOON)
    .toEqual([['Other', 'declined']])
  expect(await api.ok('DELETE', `/v1/join-requests/${alice.id}/${token}`)).toEqual({})
  expect(await api.call('DELETE', `/v1/join-requests/${alice.id}/${token}`)).toEqual(noLink)
  expect(await asked()).toEqual([])
})

test('[GATEWAY-4.46] another link, a broken one and one of nobody are refused, and nothing is asked', async ({
  alice,
  online: { api },
}) => {
  const { url } = await alice.client.groupLinks.make(
    (await alice.client.chats.createGroup({ name: 'Team', members: [] }, WITHIN)).id,
  )
  const refused = async (link: unknown) => await api.call('POST', '/v1/join-requests', { json: { link } })
  const { invite_url: invite } = await api.me()
  for (const link of ['', 'x', invite, url.replace('#g/', '#i/')])
    expect(await refused(link)).toEqual(badRequest('link: must be a link to a group.'))
  expect(await refused(url.slice(0, -30))).toMatchObject({ status: 400 })
  expect(await refused(5)).toEqual(badRequest('link: must be a string.'))
  expect(await refused(url.replace(alice.id, unknownId))).toMatchObject({ status: 404 })
  expect(await api.ok('GET', '/v1/join-requests')).toEqual([])
})

test('[GATEWAY-4.47] the picture of a group is set and removed, and nothing else becomes one', async ({
  alice,
  talking: { api, path: toAlice },
}) => {
  const { path, chat } = await grouped(api, [alice])
  const put = async (where: string, body: Uint8Array<ArrayBuffer>) =>
    await api.call('PUT', `${where}/picture`, { body })
  const shown = () => alice.client.chats.groupPictures().filter(one => one.chat === chat)
  const picture = new Uint8Array(blackPng(20, 10))
  expect(await put(path, picture)).toMatchObject({ status: 200, body: { id: chat } })
  await alice.next('notice', ({ notice }) => notice.code === 'picture' && !notice.removed)
  expect(shown()).toEqual([{ chat, picture: expect.stringMatching(/^data:image\//) }])
  const before = shown()
  expect(await put(path, new TextEncoder().encode('not a picture'))).toEqual(badRequest(/^picture: /))
  expect(await put(path, new Uint8Array(gatewayLimits.avatarUploadBytesMax + 1))).toEqual(
    badRequest(/^body: must have at most /),
  )
  expect(await put(toAlice, picture)).toEqual(badRequest('The chat is not a group.'))
  expect(await put(`/v1/chats/${unknownId}`, picture)).toMatchObject({ status: 404 })
  expect(shown()).toEqual(before)
  expect(await api.ok('DELETE', `${path}/picture`)).toMatchObject({ id: chat })
  await alice.next('notice', ({ notice }) => notice.code === 'picture' && notice.removed)
  expect(shown()).toEqual([])
  expect(await api.call('DELETE', `${toAlice}/picture`)).toEqual(badRequest('The chat is not a group.'))
})
