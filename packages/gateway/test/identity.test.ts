// The bot's identity over the API: its invite link, and the safety numbers that people compare.
import { bot, personProfile, safetyNumber } from '@postern/bot-api'
import { WITHIN } from '@postern/testkit'
import { blackPng } from '@postern/testkit/pictures'
import { expect } from 'vitest'
import { Api, onlineGateway, SOON } from './api.ts'
import { test } from './fixtures.ts'
import { unknownId } from './wrong-bodies.ts'

test('[GATEWAY-3.11] POST /v1/me/invite answers the bot with a new link; the old one lets nobody in', async ({
  world,
}) => {
  const { gateway, api } = await onlineGateway(world, { ACCEPT_REQUESTS: 'contacts' })
  const before = await api.me()
  const after = bot.parse(await api.ok('POST', '/v1/me/invite'))
  expect(after).toEqual({ ...before, invite_url: after.invite_url })
  expect(after.invite_url).not.toBe(before.invite_url)
  expect(await api.me()).toEqual(after)
  const [mallory, alice] = [await world.person('mallory'), await world.person('alice')]
  await mallory.openInvite(before.invite_url)
  expect((await api.next('chat')).chat).toMatchObject({ id: mallory.id, state: 'request' })
  await alice.openInvite(after.invite_url)
  expect((await api.next('chat')).chat).toMatchObject({ id: alice.id, state: 'active' })
  await world.closeGateway(gateway)
  const again = await onlineGateway(world)
  expect(await again.api.me()).toEqual(after)
})

test('[GATEWAY-3.11] while the bot is not registered there is no new link', async ({ world }) => {
  await world.stopRelay()
  const api = new Api(await world.gateway())
  expect((await api.call('POST', '/v1/me/invite')).status).toBe(503)
  await world.startRelay()
})

test('[GATEWAY-3.12] the safety number is the one that the person sees', async ({
  alice,
  online: { gateway, api },
}) => {
  const shown = safetyNumber.parse(await api.ok('GET', `/v1/people/${alice.id}/safety-number`))
  const seen = await alice.client.identity.safetyNumber(gateway.client.account, WITHIN)
  expect(shown).toEqual({ account: alice.id, number: seen.number, qr: seen.qr, verified: false })
})

test('[GATEWAY-3.12] of an account that is registered nowhere it is 404, of the bot itself 400', async ({
  online: { gateway, api },
}) => {
  for (const account of [unknownId, 'x', '%20'])
    expect(await api.call('GET', `/v1/people/${account}/safety-number`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
  expect(await api.call('GET', `/v1/people/${gateway.client.account}/safety-number`)).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/^account: /) },
  })
})

test('[GATEWAY-3.20] a person is shown as the person has signed it, also while the relay is away', async ({
  world,
  alice,
  online: { gateway, api },
}) => {
  const path = `/v1/people/${alice.id}`
  const picture = blackPng(8, 8)
  await alice.client.identity.setProfile({ about: 'Ships on Fridays.', avatar: picture })
  await alice.openInvite((await api.me()).invite_url)
  const signed = { id: alice.id, name: 'alice', about: 'Ships on Fridays.', bot: false }
  const avatar = `data:image/png;base64,${Buffer.from(picture).toString('base64')}`
  await expect.poll(() => api.call('GET', path), SOON).toEqual({ status: 200, body: { ...signed, avatar } })
  await alice.client.identity.setProfile({ name: 'Alice', avatar: null })
  await expect.poll(() => api.call('GET', path), SOON).toEqual({ status: 200, body: { ...signed, name: 'Alice' } })
  expect(await api.ok('GET', `/v1/people/${gateway.client.account}`)).toMatchObject({ name: 'bot', bot: true })
  await world.stopRelay()
  expect(personProfile.parse(await api.ok('GET', path))).toEqual({ ...signed, name: 'Alice' })
  await world.startRelay()
})

test('[GATEWAY-3.20] a stranger is 404, and a member of a group who has said nothing is not', async ({
  alice,
  bob,
  carol,
  online: { api },
}) => {
  for (const account of [carol.id, unknownId, 'x', '%20'])
    expect(await api.call('GET', `/v1/people/${account}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect((await api.call('GET', `/v1/people/${carol.id}`)).body).toMatchObject({
    error: expect.stringMatching(/does not know .* share a chat with it or have written to it/),
  })
  await api.ok('POST', '/v1/groups', { name: 'both', members: [alice.id, bob.id] })
  for (const { id } of [alice, bob])
    expect(personProfile.parse(await api.ok('GET', `/v1/people/${id}`))).toMatchObject({ id, bot: false })
})
