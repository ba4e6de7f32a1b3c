// Pushes: their receivers, their rate, and push services that fail.
import { setTimeout as pause } from 'node:timers/promises'
import { pushLimits } from '@postern/protocol'
import { passTime } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'
import { afterCollapse, chatWithAway, goAway, passing, pushesOf, pushWorld, readAndLeave, say } from './push-fixture.ts'
import { arrive, chatOf } from './relay-fixture.ts'
import { anotherDevice, directEnvelope } from './test-client.ts'

describe('who is told', () => {
  test('[RELAY-10.8] a device that is away, of a message for its attention, in the words of the contract', async () => {
    const world = await pushWorld()
    const { alice, group, browser, reader } = await chatWithAway(world)
    const preview = Buffer.from('sealed by alice')
    await say(alice, group, { attention: 'none' })
    const { accepted } = await say(alice, group, { preview })
    const [content] = await pushesOf(world, browser, 1)
    expect(content).toEqual({
      ...{
        v: 1,
        group,
        count: 1,
        attention: 'message',
        sender: alice.id,
        message: accepted?.message,
        ts: accepted?.ts,
      },
      preview: preview.toString('base64url'),
    })
    const [{ headers } = { headers: {} as never }] = world.service.received
    expect(headers).toMatchObject({ ttl: '86400', urgency: 'high', 'content-encoding': 'aes128gcm' })
    expect(headers['authorization']).toMatch(/^vapid t=.+, k=.+$/)
    expect(headers['topic']).toMatch(/^[A-Za-z0-9_-]{32}$/)
    expect(JSON.stringify(headers)).not.toContain(group)
    expect(reader.id).not.toBe(alice.id)
  })

  test('[RELAY-10.8] nobody who is connected, and nobody who has read it', async () => {
    const world = await pushWorld()
    const { alice, group, reader, browser } = await chatWithAway(world)
    const carol = await arrive(world.relay)
    const chat = await chatOf(alice, carol)
    const carols = world.service.subscribe()
    await carol.call('setPush', carols.subscription)
    await say(alice, chat)
    await readAndLeave(world, carol, 2)
    await say(alice, group)
    expect(await pushesOf(world, browser, 1)).toHaveLength(1)
    const dueMs = afterCollapse(world)
    await say(alice, group)
    await pushesOf(world, browser, { count: 2, dueMs })
    expect(world.service.received.filter(({ path }) => carols.endpoint.endsWith(path))).toEqual([])
    expect(reader.id).not.toBe(carol.id)
  })

  test('[RELAY-10.8] whose connection breaks before it has read it', async () => {
    const world = await pushWorld()
    const [alice, bob] = [await arrive(world.relay), await arrive(world.relay)]
    const group = await chatOf(alice, bob)
    const browser = world.service.subscribe()
    await bob.call('mailboxEnd', {})
    await bob.call('setPush', browser.subscription)
    await say(alice, group)
    bob.socket.terminate()
    expect(await pushesOf(world, browser, 1)).toMatchObject([{ count: 1 }])
  })

  test('[RELAY-10.9] of a new chat, and of what is for it alone', async () => {
    const world = await pushWorld()
    const [alice, bob, carol] = [await arrive(world.relay), await arrive(world.relay), await arrive(world.relay)]
    const bobs = await goAway(world.service, bob)
    const carols = await goAway(world.service, carol)
    const group = await chatOf(alice, bob, carol)
    const [welcome] = await pushesOf(world, bobs.browser, 1)
    expect(welcome).toMatchObject({ group, attention: 'message', count: 1, sender: alice.id })
    expect(welcome).not.toHaveProperty('message')
    await pushesOf(world, carols.browser, 1)
    const dueMs = afterCollapse(world)
    const payload = directEnvelope({ group, epoch: 1 })
    await alice.call('appendMarked', { payload, to: bob.id, leave: false, attention: 'mention', preview: undefined })
    const pushed = await pushesOf(world, bobs.browser, { count: 2, dueMs })
    expect(pushed[1]).toMatchObject({ group, attention: 'mention', count: 2 })
    expect(world.service.received).toHaveLength(3)
  })

  test('[RELAY-10.10] of muted groups only the mentions', async () => {
    const world = await pushWorld()
    const [alice, bob] = [await arrive(world.relay), await arrive(world.relay)]
    const group = await chatOf(alice, bob)
    const { browser } = await goAway(world.service, bob, [group])
    await say(alice, group)
    await say(alice, group, { attention: 'mention' })
    await say(alice, group)
    expect(await pushesOf(world, browser, 1)).toMatchObject([{ attention: 'mention', count: 1 }])
  })

  test('[RELAY-10.11] not the device that cleared its subscription, nor one whose certificate was revoked', async () => {
    const world = await pushWorld()
    const { alice, group, reader, browser } = await chatWithAway(world)
    const back = await arrive(world.relay, reader.person)
    await back.call('clearPush', {})
    await back.close()
    const other = await arrive(world.relay, anotherDevice(reader.person))
    const { browser: others } = await goAway(world.service, other)
    await say(alice, group)
    expect(await pushesOf(world, others, 1)).toHaveLength(1)
    expect(world.service.received.filter(({ path }) => browser.endpoint.endsWith(path))).toEqual([])
  })
})

describe('how often', () => {
  test('[RELAY-10.12] several messages of a chat within some seconds are one push, with their number', async () => {
    const world = await pushWorld()
    const { alice, group, browser } = await chatWithAway(world)
    await say(alice, group)
    await pushesOf(world, browser, 1)
    const dueMs = afterCollapse(world)
    for (let sent = 0; sent < 3; sent++) await say(alice, group)
    const last = await say(alice, group, { preview: Buffer.from('the newest') })
    const pushes = await pushesOf(world, browser, { count: 2, dueMs })
    expect(pushes[1]).toMatchObject({ count: 5, message: last.accepted?.message })
    const [first, second] = world.service.received.map(({ headers }) => headers['topic'])
    expect(second).toBe(first)
  })

  test('[RELAY-10.13] who marks everything makes nobody’s device ring all the time: beyond some in a minute they are counted', async () => {
    const world = await pushWorld()
    const { alice, group, browser } = await chatWithAway(world)
    const { groupPerMinute } = pushLimits
    await say(alice, group)
    await pushesOf(world, browser, 1)
    const firstMs = world.clock.monotonicMs()
    for (let count = 2; count <= groupPerMinute; count++) {
      const dueMs = afterCollapse(world)
      await say(alice, group)
      await pushesOf(world, browser, { count, dueMs })
    }
    await say(alice, group)
    await say(alice, group)
    const pushes = await pushesOf(world, browser, { count: groupPerMinute + 1, dueMs: firstMs + 60_000 })
    expect(pushes.at(-1)).toMatchObject({ count: groupPerMinute + 2 })
  })
})

describe('a push service', () => {
  test.each([404, 410])('[RELAY-10.14] that answers %i has no such subscription any more', async status => {
    const world = await pushWorld()
    const { alice, group, browser, reader } = await chatWithAway(world)
    world.service.reply = ({ path }) => ({ status: browser.endpoint.endsWith(path) ? status : 201 })
    await say(alice, group)
    await passing(world, world.service.receivedBy(browser, 1))
    const other = await goAway(world.service, await arrive(world.relay, anotherDevice(reader.person)))
    await say(alice, group)
    await pushesOf(world, other.browser, 1)
    const dueMs = afterCollapse(world)
    await say(alice, group)
    await pushesOf(world, other.browser, { count: 2, dueMs })
    expect(await world.service.receivedBy(browser, 1)).toHaveLength(1)
  })

  test('[RELAY-10.15] that is busy is asked again when it says', async () => {
    const world = await pushWorld()
    const { alice, group, browser } = await chatWithAway(world)
    const answers = [{ status: 429, headers: { 'retry-after': '77' } }, { status: 503 }]
    world.service.reply = () => answers.shift() ?? { status: 201 }
    await say(alice, group)
    await passing(world, world.service.receivedBy(browser, 1))
    const askedMs = world.clock.monotonicMs()
    await passing(world, world.service.receivedBy(browser, 2), askedMs + 77_000)
    // The second failure in a row: the pause has doubled.
    const dueMs = world.clock.monotonicMs() + 2 * pushLimits.retryMs
    const pushes = await pushesOf(world, browser, { count: 3, dueMs })
    expect(pushes[2]).toMatchObject({ count: 1 })
  })

  test('[RELAY-10.15] that stays away is given up after a day', async () => {
    const world = await pushWorld()
    const { alice, group, browser } = await chatWithAway(world)
    world.service.reply = () => ({ status: 429, headers: { 'retry-after': '86400' } })
    const first = await say(alice, group)
    await passing(world, world.service.receivedBy(browser, 1))
    world.service.reply = () => ({ status: 201 })
    while (!world.clock.isAwaited(pushLimits.ttlMs)) await pause(1)
    // Times of entries run ahead of a clock that stands still.
    world.clock.leap(pushLimits.ttlMs + 1_000)
    const again = await arrive(world.relay, alice.person)
    const second = await say(again, group)
    const pushes = await pushesOf(world, browser, 2)
    expect(pushes[1]).toMatchObject({ count: 1, message: second.accepted?.message })
    expect(pushes[1]?.message).not.toBe(first.accepted?.message)
  })

  test.each([
    ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:9/inside' } }],
    ['does not like it', { status: 400 }],
    ['answers without end', 'endless'],
  ] as const)('[RELAY-10.16] that %s is asked once', async (_, reply) => {
    const world = await pushWorld()
    const { alice, group, browser } = await chatWithAway(world)
    world.service.reply = () => reply
    await say(alice, group)
    await passing(world, world.service.receivedBy(browser, 1))
    world.service.reply = () => ({ status: 201 })
    const dueMs = afterCollapse(world)
    await say(alice, group)
    const pushes = await pushesOf(world, browser, { count: 2, dueMs })
    expect(pushes).toHaveLength(2)
  })

  test('[RELAY-10.17] that hangs does not keep another one waiting', async () => {
    const world = await pushWorld()
    const hanging = await pushWorld()
    hanging.service.reply = () => 'hang'
    const relay = await pushWorld({ push: { hosts: [world.service.origin, hanging.service.origin] } })
    const [alice, bob, carol] = [await arrive(relay.relay), await arrive(relay.relay), await arrive(relay.relay)]
    const group = await chatOf(alice, bob, carol)
    const stuck = await goAway(hanging.service, bob)
    const fine = await goAway(world.service, carol)
    await say(alice, group)
    await passing(relay, hanging.service.receivedBy(stuck.browser, 1))
    await passing(relay, world.service.receivedBy(fine.browser, 1))
    const dueMs = afterCollapse(relay)
    await say(alice, group)
    const told = await passing(relay, world.service.receivedBy(fine.browser, 2), dueMs)
    expect(fine.browser.open(told[1] as never)).toMatchObject({ count: 2 })
    expect(await hanging.service.receivedBy(stuck.browser, 1)).toHaveLength(1)
    hanging.service.reply = () => ({ status: 201 })
    await passTime(relay.clock, hanging.service.receivedBy(stuck.browser, 2))
  })
})
