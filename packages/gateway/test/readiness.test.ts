// Probes of a gateway: alive without a relay, ready only while the bot is online, and the reason when it is not.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '@postern/core'
import { WITHIN } from '@postern/testkit'
import { expect, onTestFinished } from 'vitest'
import { Api, onlineGateway, SOON } from './api.ts'
import { test } from './fixtures.ts'

type Probed = { url: string }

/** Without a token: a probe has none. */
async function probe({ url }: Probed, path: string) {
  const answer = await fetch(`${url}${path}`)
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: (await answer.json()) as { error?: string; code?: string },
  }
}

const ready = { status: 200, retryAfter: null, body: {} }
const unready = (sentence: RegExp) => ({
  status: 503,
  retryAfter: '5',
  body: { code: 'unavailable', error: expect.stringMatching(sentence) },
})

test('[GATEWAY-2.28] online, the gateway is ready, to GET and HEAD', async ({ online: { gateway } }) => {
  expect(await probe(gateway, '/readyz')).toEqual(ready)
  expect((await fetch(`${gateway.url}/readyz`, { method: 'HEAD' })).status).toBe(200)
})

test('[GATEWAY-2.28] without its relay the gateway is alive and not ready, until the relay is back', async ({
  world,
}) => {
  const { gateway } = await onlineGateway(world)
  await world.stopRelay()
  await expect.poll(() => probe(gateway, '/readyz'), SOON).toEqual(unready(/^The bot is not connected to http:/))
  expect((await probe(gateway, '/healthz')).status).toBe(200)
  await world.startRelay()
  await gateway.client.whenOnline(WITHIN)
  expect(await probe(gateway, '/readyz')).toEqual(ready)
})

const byInvite = test.extend('worldOptions', () => ({ relayRegistration: 'invite' as const }))

byInvite(
  '[GATEWAY-2.29] a bot that the relay never admits says why, in the probe and in the log',
  async ({ world }) => {
    const errors: string[] = []
    const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: (_, text) => void errors.push(text) }
    const gateway = await world.gateway({}, { log })
    const why = 'This relay accepts new accounts by invite only. Give an invite code.'
    await expect
      .poll(() => probe(gateway, '/readyz'), SOON)
      .toEqual(unready(new RegExp(`^The bot is not connected to http:\\S+\\. ${why}$`)))
    expect(errors).toContain(why)
    expect((await new Api(gateway).get('/v1/me')).status).toBe(503)
  },
)

test('[GATEWAY-2.29] a server that is no relay is named with its answer', async ({ world }) => {
  const server = createServer((_, response) => response.writeHead(404).end())
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  onTestFinished(() => void server.close())
  await listening.promise
  const gateway = await world.gateway({ RELAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  await expect
    .poll(() => probe(gateway, '/readyz'), SOON)
    .toEqual(unready(/The last attempt failed: Unexpected server response: 404\.$/))
})
