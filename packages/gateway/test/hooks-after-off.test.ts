// Posts to a gateway that was off for hours, before it knows for how long: a repeated report is then news.
import { privateChatId } from '@postern/protocol'
import { passTime, type TestGateway } from '@postern/testkit'
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { HOOKS_URL, hookedGateway, newHook, type Posted, post } from './hooks.ts'

const HOUR_MS = 3_600_000

const alert = {
  version: '4',
  groupKey: '{}:{alertname="Down"}',
  status: 'firing',
  alerts: [{ status: 'firing', labels: { alertname: 'Down' }, annotations: {}, fingerprint: 'f' }],
}

const test = base.extend('worldOptions', ({ relayClock }) => ({ relayClock }))

test.for([
  ['text', { body: 'the backup has failed', headers: { 'content-type': 'text/plain' } }],
  ['alerts', { json: alert }],
] as const)(
  '[GATEWAY-10.5] %s: refused while the relay is out of reach, and written once it is there',
  async ([format, said], { clock, relayClock, world, alice }) => {
    const { gateway: first, api } = await hookedGateway(world, alice, { clock })
    const hook = await newHook(api, alice.id, format)
    const say = (gateway: TestGateway): Promise<Posted> => passTime(clock, post(gateway, hook, said))
    expect((await say(first)).status).toBe(200)
    await world.closeGateway(first)
    await world.stopRelay()
    for (const each of [clock, relayClock]) each.leap(4 * HOUR_MS)
    const next = await world.gateway({ HOOKS_URL }, { clock })
    expect((await say(next)).status).toBe(502)
    await world.startRelay()
    await passTime(clock, next.client.whenOnline({ timeoutMs: HOUR_MS }))
    expect((await say(next)).status).toBe(200)
    await expect.poll(() => alice.texts(privateChatId(next.client.account)).length).toBe(2)
  },
)
