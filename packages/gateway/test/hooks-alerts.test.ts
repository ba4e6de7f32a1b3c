// Alerts end to end: firing alerts, resolved alerts in reply, and repeats.
import { readFileSync } from 'node:fs'
import { hookLimits, privateChatId } from '@postern/protocol'
import { ManualClock, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { backOnline, hearsFrom, hookedGateway, newHook, post } from './hooks.ts'

type Fields = Record<string, unknown>

const fixture = (name: string): Fields =>
  JSON.parse(readFileSync(new URL(`./fixtures/alerts/${name}.json`, import.meta.url), 'utf8')) as Fields

/** A body of the named group: the states of its alerts, in order. */
const group = (name: string, states: string[], more: Fields = {}): Fields => ({
  version: '4',
  status: states.includes('firing') ? 'firing' : 'resolved',
  groupKey: `{}:{alertname="${name}"}`,
  commonLabels: { alertname: name },
  alerts: states.map((status, at) => ({
    status,
    fingerprint: `${name}${at}`,
    annotations: { summary: `${name} ${at}` },
  })),
  ...more,
})

const test = base
  .extend('hooked', ({ world, alice, clock }) => hookedGateway(world, alice, { clock }))
  .extend('hook', ({ hooked, alice }) => newHook(hooked.api, alice.id, 'alerts'))
  /** The status that the sender receives. */
  .extend('alert', ({ hooked, hook }) => async (json: Fields, to = hook): Promise<number> => {
    return (await post(hooked.gateway, to, { json })).status
  })
  /** How many messages the bot has sent in all. */
  .extend('written', ({ hooked, alice }) => {
    let ends = 0
    return async (): Promise<number> => {
      const end = `end ${++ends}`
      await hooked.api.send(alice.id, { text: end })
      await alice.hears(end)
      return alice.texts(hooked.chatId).filter(text => !text.startsWith('end')).length
    }
  })

test('[GATEWAY-10.10] a resolution replies to the firing message', async ({ alice, alert }) => {
  expect(await alert(fixture('firing-1'))).toBe(200)
  const fired = await hearsFrom(alice, '🔥 InstanceDown: 1 срабатывание')
  expect(await alert(fixture('resolved-1'))).toBe(200)
  const over = await hearsFrom(alice, '✅ Устранено: InstanceDown')
  expect([over.text, over.reply_to]).toEqual(['✅ Устранено: InstanceDown, 1 срабатывание', fired.id])
})

test('[GATEWAY-10.10] to the newest one, when a group has grown and was repeated', async ({ alice, alert }) => {
  expect(await alert(group('Load', ['firing']))).toBe(200)
  expect(await alert(group('Load', ['firing', 'firing']))).toBe(200)
  expect(await alert(group('Load', ['firing', 'resolved']))).toBe(200)
  const newest = await hearsFrom(alice, '🔥 Load: 1 срабатывание, устранено: 1')
  expect(await alert(group('Load', ['resolved', 'resolved']))).toBe(200)
  expect((await hearsFrom(alice, '✅')).reply_to).toBe(newest.id)
})

test('[GATEWAY-10.10] for several groups at once, and after a restart', async ({ alice, hooked, alert }) => {
  const fired: string[] = []
  for (const name of ['A', 'B', 'C']) {
    expect(await alert(group(name, ['firing']))).toBe(200)
    fired.push((await hearsFrom(alice, `🔥 ${name}`)).id)
  }
  await hooked.restart()
  for (const [at, name] of ['B', 'A', 'C'].entries()) {
    expect(await alert(group(name, ['resolved']))).toBe(200)
    expect((await hearsFrom(alice, `✅ Устранено: ${name}`)).reply_to).toBe(fired[[1, 0, 2][at] ?? 0])
  }
})

test('[GATEWAY-10.10] groups of two hooks do not mix', async ({ alice, hooked, alert }) => {
  const other = await newHook(hooked.api, alice.id, 'alerts')
  expect(await alert(group('Load', ['firing']))).toBe(200)
  expect(await alert(group('Load', ['firing']), other)).toBe(200)
  await hearsFrom(alice, '🔥')
  const second = await hearsFrom(alice, '🔥')
  expect(await alert(group('Load', ['resolved']), other)).toBe(200)
  expect((await hearsFrom(alice, '✅')).reply_to).toBe(second.id)
})

test('[GATEWAY-10.10] a group that nobody has seen firing, or whose message was deleted, is resolved without a reply', async ({
  alice,
  hooked,
  alert,
}) => {
  expect(await alert(group('Unknown', ['resolved']))).toBe(200)
  expect((await hearsFrom(alice, '✅ Устранено: Unknown')).reply_to).toBeUndefined()
  expect(await alert(group('Deleted', ['firing']))).toBe(200)
  const { id } = await hearsFrom(alice, '🔥 Deleted')
  await hooked.gateway.client.messages.delete(privateChatId(alice.id), { message: id, for: 'all' }, WITHIN)
  expect(await alert(group('Deleted', ['resolved']))).toBe(200)
  expect((await hearsFrom(alice, '✅ Устранено: Deleted')).reply_to).toBeUndefined()
})

test('[GATEWAY-10.10] without a reply it says itself what is over', async ({ alice, alert }) => {
  expect(await alert(fixture('resolved-1'))).toBe(200)
  expect((await hearsFrom(alice, '✅')).text).toBe(
    '✅ Устранено: InstanceDown, 1 срабатывание\nInstanceDown on node-1 (warning, node-01.example.test:9100)',
  )
})

test('[GATEWAY-10.11] a body that equals the last of its group within a minute is a duplicate', async ({
  clock,
  hooked,
  alert,
  written,
}) => {
  for (const _ of [1, 2]) expect(await alert(fixture('firing-many-25'))).toBe(200)
  clock.leap(hookLimits.duplicateWithinMs - 10_000)
  await backOnline(clock, hooked.gateway)
  expect(await alert(fixture('firing-many-25'))).toBe(200)
  expect(await written()).toBe(1)
  for (const _ of [1, 2]) expect(await alert(fixture('all-resolved-many'))).toBe(200)
  expect(await written()).toBe(2)
})

test('[GATEWAY-10.11] after a minute it is a repeat, also over a restart', async ({
  clock,
  hooked,
  alert,
  written,
}) => {
  expect(await alert(group('Load', ['firing']))).toBe(200)
  await hooked.restart()
  expect(await alert(group('Load', ['firing']))).toBe(200)
  expect(await written()).toBe(1)
  clock.leap(hookLimits.duplicateWithinMs)
  await backOnline(clock, hooked.gateway)
  expect(await alert(group('Load', ['firing']))).toBe(200)
  expect(await written()).toBe(2)
})

test('[GATEWAY-10.11] a repeat is no retry of a post that was in doubt and that another sender of the pair has said since', async ({
  alice,
  clock,
  hooked,
  alert,
  written,
}) => {
  const [mine, theirs] = ['a', 'b'].map(host => group('Load', ['firing'], { externalURL: `http://${host}` }))
  const pass = hooked.gateway.wire.incoming
  hooked.gateway.wire.incoming = () => []
  const doubtful = alert(mine ?? {})
  await hearsFrom(alice, '🔥 Load')
  clock.advance(hookLimits.postWithinMs)
  expect(await doubtful).toBe(502)
  hooked.gateway.wire.incoming = pass
  hooked.gateway.wire.drop()
  await backOnline(clock, hooked.gateway)
  expect(await alert(theirs ?? {})).toBe(200)
  expect(await alert(mine ?? {})).toBe(200)
  const before = await written()
  clock.leap(hookLimits.duplicateWithinMs)
  await backOnline(clock, hooked.gateway)
  expect(await alert(mine ?? {})).toBe(200)
  expect(await written()).toBe(before + 1)
})

test('[GATEWAY-10.11] what was said by a clock that has been set back since does not keep a repeat silent', async ({
  clock,
  hooked,
  alert,
  written,
}) => {
  const now = clock.nowMs()
  clock.leap(7_200_000)
  await backOnline(clock, hooked.gateway)
  expect(await alert(group('Load', ['firing']))).toBe(200)
  const setBack = new ManualClock(now)
  await hooked.restart({ clock: setBack })
  setBack.advance(hookLimits.duplicateWithinMs)
  await backOnline(setBack, hooked.gateway)
  expect(await alert(group('Load', ['firing']))).toBe(200)
  expect(await written()).toBe(2)
})

test('[GATEWAY-10.11] what differs is no duplicate: grown, mixed, another group, fired again', async ({
  alert,
  written,
}) => {
  expect(await alert(group('Load', ['firing']))).toBe(200)
  expect(await alert(group('Load', ['firing', 'firing']))).toBe(200)
  expect(await alert(group('Load', ['firing', 'resolved']))).toBe(200)
  expect(await alert(group('Other', ['firing']))).toBe(200)
  expect(await alert(group('Load', ['resolved', 'resolved']))).toBe(200)
  expect(await alert(group('Load', ['firing', 'resolved']))).toBe(200)
  expect(await written()).toBe(6)
})

test.for([
  ['version 3', { ...group('Load', ['firing']), version: '3' }, 'version: must be 4.'],
  ['no alerts', { version: '4' }, 'alerts: must have at least one alert.'],
])('[GATEWAY-10.9] %s: 400, and nothing is written', async ([, json, error], { hooked, hook, written }) => {
  expect(await post(hooked.gateway, hook, { json })).toMatchObject({ status: 400, body: { error } })
  expect(await post(hooked.gateway, hook, { body: '{"version":"4"' })).toMatchObject({
    status: 400,
    body: { error: 'body: must be valid JSON.' },
  })
  expect(await written()).toBe(0)
})
