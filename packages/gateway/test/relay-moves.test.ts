// RELAY_URL from start to start: before any registration, at a relay that has moved, and at a relay that does not know the bot.
import { createServer } from 'node:net'
import type { Chat } from '@postern/bot-api'
import { isCoded, privateChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { onlineGateway } from './api.ts'
import { test } from './fixtures.ts'

test('[GATEWAY-3.2] an address that was mistyped at the first start is mended by the next one, as is one of a start that failed', async ({
  world,
  alice,
}) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  const mistyped = { RELAY_URL: 'http://127.0.0.1:9' }
  await expect(world.gateway({ ...mistyped, LISTEN: `127.0.0.1:${port}` })).rejects.toThrow(/in use/)
  taken.close()
  const first = await world.gateway(mistyped)
  expect((await first.api('GET', '/v1/me')).status).toBe(503)
  await world.closeGateway(first)
  const { gateway, api } = await onlineGateway(world)
  expect(gateway.client.account).toBe(first.client.account)
  const { invite_url } = await api.me()
  expect(new URL(invite_url).origin).toBe(world.relayUrl)
  await alice.openInvite(invite_url)
  await api.next('chat')
})

test('[GATEWAY-3.3] a relay that has moved is followed: chats go on, and the link leads to the new address', async ({
  world,
  alice,
}) => {
  const before = await onlineGateway(world)
  await alice.openInvite((await before.api.me()).invite_url)
  await before.api.next('chat')
  await world.closeGateway(before.gateway)
  await alice.say(privateChatId(before.gateway.client.account), 'waits')
  await world.close(alice)
  await world.moveRelay()
  const { api } = await onlineGateway(world)
  alice = await world.person('alice')
  expect((await api.next('message')).message.text).toBe('waits')
  await api.ok('POST', `/v1/chats/${alice.id}/messages`, { text: 'I am here' })
  await alice.hears('I am here')
  expect(new URL((await api.me()).invite_url).origin).toBe(world.relayUrl)
  expect(await api.ok<Chat[]>('GET', '/v1/chats')).toHaveLength(1)
})

test('[GATEWAY-3.3] at a relay that does not know the bot nothing is started or changed', async ({
  world,
  otherWorld,
  online: { gateway },
}) => {
  await world.closeGateway(gateway)
  await expect(world.gateway({ RELAY_URL: otherWorld.relayUrl, BOT_NAME: 'other' })).rejects.toSatisfy(
    (error: unknown) => isCoded(error, 'relay-not-home'),
  )
  const again = await world.gateway({ RELAY_URL: '', BOT_NAME: '' })
  await again.client.whenOnline(WITHIN)
  expect([again.client.account, again.client.identity.me().name]).toEqual([gateway.client.account, 'bot'])
})
