// Pushes as an operator sees them: metrics, log lines and settings.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readScrape } from '@postern/testkit/scrape'
import { expect, test } from 'vitest'
import { readConfig } from '../src/index.ts'
import { PushReach } from '../src/push/push-reach.ts'
import { chatWithAway, passing, pushWorld, say } from './push-fixture.ts'

test('[RELAY-10.25] metrics count pushes by service and status, and name the devices that wait', async () => {
  const world = await pushWorld({ metrics: { host: '127.0.0.1', port: 0 } })
  const { alice, group, browser } = await chatWithAway(world)
  const answers = [{ status: 429, headers: { 'retry-after': '60' } }]
  world.service.reply = () => answers.shift() ?? { status: 201 }
  const scrape = async () => readScrape(await (await fetch(`${world.relay.metricsUrl}/metrics`)).text()).samples
  const service = new URL(world.service.origin).host
  await say(alice, group)
  await passing(world, world.service.receivedBy(browser, 1))
  const askedMs = world.clock.monotonicMs()
  while (!world.clock.isAwaited(60_000)) await nextTurn()
  const busy = await scrape()
  expect(busy[`postern_relay_pushes_total{service="${service}",status="429"}`]).toBe(1)
  expect(busy['postern_relay_pushes_waiting']).toBe(1)
  world.clock.advance(10_000)
  const waited = (await scrape())['postern_relay_push_age_seconds'] ?? 0
  expect(waited - (busy['postern_relay_push_age_seconds'] ?? 0)).toBeCloseTo(10)
  await passing(world, world.service.receivedBy(browser, 2), askedMs + 60_000)
  let after = await scrape()
  while (after['postern_relay_pushes_waiting'] !== 0) after = await scrape()
  expect(after[`postern_relay_pushes_total{service="${service}",status="201"}`]).toBe(1)
  expect(after['postern_relay_push_age_seconds']).toBe(0)
})

test('[RELAY-10.25] they count a push without an answer by its error, and every device that waits', async () => {
  const world = await pushWorld({ metrics: { host: '127.0.0.1', port: 0 } })
  const chats = [await chatWithAway(world), await chatWithAway(world)]
  world.service.reply = () => Promise.reject(new Error('cut off'))
  for (const { alice, group } of chats) await say(alice, group)
  const service = new URL(world.service.origin).host
  const cutOff = `postern_relay_pushes_total{service="${service}",status="ECONNRESET"}`
  const scrape = async () => readScrape(await (await fetch(`${world.relay.metricsUrl}/metrics`)).text()).samples
  const bothCutOff = async () => {
    for (;;) {
      const samples = await scrape()
      if (samples[cutOff] === chats.length) return samples
    }
  }
  expect((await passing(world, bothCutOff()))['postern_relay_pushes_waiting']).toBe(chats.length)
})

test('[RELAY-10.26] a relay that reaches no push service logs it once, and once when it reaches one again', () => {
  const lines: string[] = []
  const note = (_: object, text: string): void => void lines.push(text)
  const reach = new PushReach({ debug: note, info: note, warn: note, error: note })
  const failed = { kind: 'failed', code: 'ENETUNREACH' } as const
  const answered = { kind: 'answered', status: 201, retryAfter: undefined } as const
  // One service that fails beside others that answer is not the network.
  for (let tries = 0; tries < 20; tries++) {
    reach.observe(failed, 'mozilla.com')
    reach.observe(answered, 'google.com')
  }
  expect(lines).toEqual([])
  for (let tries = 0; tries < 20; tries++) reach.observe(failed, 'mozilla.com')
  expect(lines).toEqual(['push services not reachable; will retry'])
  reach.observe(answered, 'mozilla.com')
  reach.observe(answered, 'mozilla.com')
  expect(lines).toEqual(['push services not reachable; will retry', 'push services reachable again'])
})

test('[RELAY-10.20] the settings of an operator', () => {
  const read = (...args: string[]) => readConfig(['--data', 'x', '--listen', '127.0.0.1:0', ...args], {}).push
  expect(read()).toEqual({ hosts: [], contact: undefined })
  expect(read('--push', 'off')).toBe('off')
  const contact = 'mailto:alice@example.org'
  expect(read('--push-hosts', 'push.example.org, http://127.0.0.1:8080', '--push-contact', contact)).toEqual({
    hosts: ['push.example.org', 'http://127.0.0.1:8080'],
    contact,
  })
  expect(() => read('--push', 'maybe')).toThrow(/^--push: /)
  expect(() => read('--push-hosts', 'http://push.example.org')).toThrow(/^--push-hosts: /)
  expect(() => read('--push-contact', 'alice')).toThrow(/^--push-contact: /)
})
