// Start links over the API: what a bot reads, who came, and what ends a link.
import { type BotInvite, invite } from '@postern/bot-api'
import type { Client } from '@postern/core'
import { clientLimits } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { ManualClock } from '@postern/testkit'
import { expect } from 'vitest'
import { onlineGateway } from './api.ts'
import { test } from './fixtures.ts'
import { badRequest, notFound } from './talking.ts'

const HOUR_MS = 3_600_000

type Write = (change: (database: { run: (sql: string, ...values: number[]) => unknown }) => void) => Promise<void>

/** All links that there can be, except for one. */
async function fillWithLinks(client: Client): Promise<void> {
  const { store } = (client as unknown as { core: { store: { write: Write } } }).core
  await store.write(database => {
    database.run(
      `WITH RECURSIVE many (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM many WHERE n < ?)
       INSERT INTO start_link (id, token, payload, ts) SELECT 'id' || n, 'token' || n, 'many', n FROM many`,
      clientLimits.startLinksMax,
    )
  })
}

const key = (name: string) => ({ headers: { 'idempotency-key': name } })

test('[GATEWAY-3.21] the payload of a link arrives as /start <payload>, in a new chat and in one that exists', async ({
  alice,
  bob,
  talking: { api, toBot },
}) => {
  const link = await api.ok<BotInvite>('POST', '/v1/invites', { payload: 'ticket-4711' })
  expect(invite.strict().parse(link)).toEqual(link)
  for (const person of [alice, bob]) {
    await person.openInvite(link.url)
    const { message } = await api.next('message')
    expect(message).toMatchObject({
      from: { id: person.id },
      text: '/start ticket-4711',
      invite: { id: link.id, payload: 'ticket-4711' },
    })
    expect(await api.ok('GET', `/v1/chats/${person.id}/messages/${message.id}`)).toEqual(message)
  }
  expect(alice.texts(toBot)).toEqual(['/start'])
  // Anybody can type it: the text is the same, and the field is not there.
  await bob.say(toBot, '/start ticket-4711')
  const { message: typed } = await api.next('message')
  expect([typed.text, typed.invite]).toEqual(['/start ticket-4711', undefined])
  expect(await api.ok('GET', '/v1/invites')).toEqual([{ ...link, used: 2 }])
})

test('[GATEWAY-3.21] a link that was revoked, has expired or is used up brings a plain /start', async ({
  world,
  alice,
  bob,
}) => {
  const clock = new ManualClock(Date.now())
  const { api } = await onlineGateway(world, {}, { clock })
  const create = (more: object) => api.ok<BotInvite>('POST', '/v1/invites', { payload: 'x', ...more })
  const once = await create({ uses: 1 })
  const timed = await create({ expires: clock.nowMs() + HOUR_MS })
  const revoked = await create({ uses: null, expires: null })
  const readBy = async (person: typeof alice, { url }: BotInvite) => {
    await person.openInvite(url)
    const { message } = await api.next('message')
    expect(message.from.id).toBe(person.id)
    return [message.text, message.invite?.id]
  }
  expect(await readBy(alice, once)).toEqual(['/start x', once.id])
  expect(await readBy(bob, once)).toEqual(['/start', undefined])
  expect(await readBy(alice, timed)).toEqual(['/start x', timed.id])
  expect(await api.ok('DELETE', `/v1/invites/${revoked.id}`)).toEqual({})
  expect(await readBy(alice, revoked)).toEqual(['/start', undefined])
  clock.set(HOUR_MS)
  expect(await readBy(alice, timed)).toEqual(['/start', undefined])
  expect(await api.ok('GET', '/v1/invites')).toEqual([{ ...once, used: 1 }])
})

test('[GATEWAY-3.22] the relay sees neither the payload nor the token', async ({ alice, online: { api } }) => {
  const { url } = await api.ok<BotInvite>('POST', '/v1/invites', { payload: 'seen-by-nobody' })
  const sent: string[] = []
  alice.wire.outgoing = frame => {
    sent.push(Buffer.from(frame).toString('latin1'))
    return [frame]
  }
  await alice.openInvite(url)
  expect((await api.next('message')).message.text).toBe('/start seen-by-nobody')
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.filter(frame => frame.includes('seen-by-nobody') || frame.includes(parseInvite(url).token))).toEqual([])
})

test('[GATEWAY-3.23] links are made once under a key, listed by pages, and revoked by their id', async ({
  world,
  online: { gateway, api },
}) => {
  const json = { payload: 'first', uses: 3 }
  const first = await api.call<BotInvite>('POST', '/v1/invites', { json, ...key('k') })
  expect(first).toMatchObject({ status: 200, body: { payload: 'first', uses: 3, used: 0 } })
  const second = await api.ok<BotInvite>('POST', '/v1/invites', { payload: 'second' })
  expect(second).not.toHaveProperty('uses')
  expect(await api.call('POST', '/v1/invites', { json: { payload: 'other' }, ...key('k') })).toEqual(
    badRequest(/^Idempotency-Key: was already used with a different request/),
  )
  await world.closeGateway(gateway)
  const { api: again } = await onlineGateway(world)
  expect(await again.call('POST', '/v1/invites', { json, ...key('k') })).toEqual(first)
  expect(await again.ok('GET', '/v1/invites')).toEqual([first.body, second])
  expect(await again.ok('GET', '/v1/invites?limit=1')).toEqual([first.body])
  expect(await again.ok('GET', `/v1/invites?limit=1&after=${first.body.id}`)).toEqual([second])
  expect(await again.ok('DELETE', `/v1/invites/${first.body.id}`)).toEqual({})
  const gone = notFound(/^There is no such invite: it was revoked, or it has expired\.$/)
  expect(await again.call('DELETE', `/v1/invites/${first.body.id}`)).toEqual(gone)
  expect(await again.call('GET', `/v1/invites?after=${first.body.id}`)).toEqual(gone)
  // The link of that request is gone: it must not come back under another address.
  expect(await again.call('POST', '/v1/invites', { json, ...key('k') })).toEqual(gone)
  expect(await again.ok('GET', '/v1/invites')).toEqual([second])
})

test('[GATEWAY-3.24] a new invite link of the bot leaves the others, and one link too many is refused', async ({
  online: { gateway, api },
}) => {
  const link = await api.ok<BotInvite>('POST', '/v1/invites', { payload: 'x' })
  await api.ok('POST', '/v1/me/invite')
  expect(await api.ok('GET', '/v1/invites')).toEqual([link])
  await fillWithLinks(gateway.client)
  expect(await api.call('POST', '/v1/invites', { json: { payload: 'x' } })).toEqual(
    badRequest('There are already 10000 invites. Revoke some that you no longer need.'),
  )
})
