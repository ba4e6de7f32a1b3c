// Posts to a hook while the relay fails, the chat goes, and senders come again: nothing doubled, nothing behind one's back.
import type { CreatedHook } from '@postern/bot-api'
import { type ChatId, hookLimits, privateChatId } from '@postern/protocol'
import { ManualClock, type Person, passTime, passWhenAwaited, type TestGateway, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { HOOKS_URL, hookedGateway, newHook, type Posted, post, say } from './hooks.ts'

let world: World
let alice: Person
let clock: ManualClock
let gateway: TestGateway
let api: Api
let hook: CreatedHook
let toBot: ChatId
beforeEach(async () => {
  world = await World.start()
  alice = await world.person('alice')
  clock = new ManualClock(Date.now())
  const online = await hookedGateway(world, alice, { clock })
  gateway = online.gateway
  api = online.api
  toBot = privateChatId(gateway.client.account)
  hook = await newHook(api, alice.id, 'text')
})
afterEach(() => world.stop())

const unavailable = { status: 502, body: { code: 'unavailable' } }
const speak = (text: string) => say(gateway, hook, text)

async function reconnect(): Promise<void> {
  gateway.wire.mend()
  gateway.wire.drop()
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
}

/** The relay takes what is posted, alice hears it, and the relay's answer is lost. */
async function inDoubt(text: string, posting: (text: string) => Promise<Posted>): Promise<Posted> {
  const pass = gateway.wire.incoming
  gateway.wire.incoming = () => []
  const posted = posting(text)
  await alice.hears(text)
  clock.advance(hookLimits.postWithinMs)
  const answer = await posted
  gateway.wire.incoming = pass
  return answer
}

async function restart(): Promise<void> {
  await world.closeGateway(gateway)
  const online = await onlineGateway(world, { HOOKS_URL }, { clock })
  gateway = online.gateway
}

describe('502', () => {
  test('[GATEWAY-10.5] without the relay it comes within seconds, and nothing is sent later', async () => {
    gateway.wire.cut()
    expect(await passWhenAwaited(clock, hookLimits.postWithinMs, speak('lost'))).toMatchObject(unavailable)
    await reconnect()
    expect((await speak('next')).status).toBe(200)
    await alice.hears('next')
    expect(alice.texts(toBot)).toEqual(['next'])
  })

  test('[GATEWAY-10.5] what was in doubt is adopted when the same body comes again', async () => {
    expect(await inDoubt('once', speak)).toMatchObject(unavailable)
    await reconnect()
    expect((await speak('another')).status).toBe(200)
    expect((await speak('once')).status).toBe(200)
    await alice.hears('another')
    expect(alice.texts(toBot)).toEqual(['once', 'another'])
  })

  test('[GATEWAY-10.5] also after a restart', async () => {
    expect(await inDoubt('once', speak)).toMatchObject(unavailable)
    await restart()
    expect((await speak('once')).status).toBe(200)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(toBot)).toEqual(['once', 'end'])
  })

  test('[GATEWAY-10.5] after a 200 the same body is a new event', async () => {
    for (const _ of [1, 2]) expect((await speak('again')).status).toBe(200)
    await alice.hears('again')
    await alice.hears('again')
  })

  test('[GATEWAY-10.5] an attempt is forgotten after a day', async () => {
    expect(await inDoubt('old', speak)).toMatchObject(unavailable)
    await reconnect()
    clock.leap(hookLimits.attempts.keptMs + 1000)
    await reconnect()
    expect((await speak('old')).status).toBe(200)
    await alice.hears('old')
  })

  test('[GATEWAY-10.5] a text in parts goes on behind the last part that the relay has', async () => {
    const parts = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(4096))
    let appends = 0
    gateway.wire.outgoing = frame => {
      // Only the parts are of this size.
      if (frame.length > 4096 && ++appends === 3) gateway.wire.cut()
      return [frame]
    }
    const cutOff = speak(parts.join(''))
    await expect.poll(() => appends, SOON).toBe(3)
    expect(await passWhenAwaited(clock, hookLimits.postWithinMs, cutOff)).toMatchObject(unavailable)
    gateway.wire.outgoing = frame => [frame]
    await reconnect()
    expect((await speak(parts.join(''))).status).toBe(200)
    await alice.hears(parts[3] ?? '')
    expect(alice.texts(toBot)).toEqual(parts)
  })

  test('[GATEWAY-10.5] a sender that hung up before its turn is not written', async () => {
    gateway.wire.cut()
    const first = say(gateway, hook, 'first')
    await expect.poll(() => clock.isAwaited(hookLimits.postWithinMs), SOON).toBe(true)
    const hungUp = new AbortController()
    const second = post(gateway, hook, { body: 'second', signal: hungUp.signal }).catch(() => 'hung up')
    // Asked behind it, and answered: by then it has come, and waits.
    for (const _ of [1, 2]) await api.me()
    hungUp.abort()
    expect(await second).toBe('hung up')
    await reconnect()
    await passTime(clock, first)
    expect((await speak('third')).status).toBe(200)
    await alice.hears('third')
    expect(alice.texts(toBot)).not.toContain('second')
  })

  test('[GATEWAY-10.5] a sender that hung up too early to be answered doubles nothing when it comes again', async () => {
    gateway.wire.hold()
    const hungUp = new AbortController()
    const first = post(gateway, hook, { body: 'once', signal: hungUp.signal }).catch(() => 'hung up')
    await alice.hears('once')
    hungUp.abort()
    expect(await first).toBe('hung up')
    // They are heard after the hang-up, and need no relay.
    for (const _ of [1, 2]) await api.me()
    gateway.wire.release()
    expect((await speak('once')).status).toBe(200)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(toBot)).toEqual(['once', 'end'])
    expect((await speak('once')).status).toBe(200)
    await alice.hears('once')
  })
})

describe('Idempotency-Key', () => {
  const keyed = (body: string, key: string) =>
    post(gateway, hook, { body, headers: { 'content-type': 'text/plain', 'idempotency-key': key } })

  test('[GATEWAY-10.7] what was written under a key is not written again, over restarts too', async () => {
    expect((await keyed('one', 'k')).status).toBe(200)
    expect((await keyed('one', 'k')).status).toBe(200)
    await restart()
    expect((await keyed('one', 'k')).status).toBe(200)
    expect((await keyed('one', 'other')).status).toBe(200)
    expect((await keyed('end', 'x'.repeat(5000))).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(toBot)).toEqual(['one', 'one', 'end'])
  })

  test('[GATEWAY-10.7] an empty key is 400: nothing would keep the post from being written twice', async () => {
    expect(await keyed('one', '')).toMatchObject({
      status: 400,
      body: { code: 'bad_request', error: 'idempotency-key: at least one byte is required.' },
    })
    expect((await keyed('end', 'k')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(toBot)).toEqual(['end'])
  })

  test('[GATEWAY-10.7] with another body it is 400, and after a day the key is free', async () => {
    expect((await keyed('one', 'k')).status).toBe(200)
    expect(await keyed('two', 'k')).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^Idempotency-Key:/) },
    })
    clock.leap(hookLimits.keys.keptMs + 1000)
    await reconnect()
    expect((await keyed('two', 'k')).status).toBe(200)
  })

  test('[GATEWAY-10.7] what there was nothing to write for is not written under its key later', async () => {
    const alerts = await newHook(api, alice.id, 'alerts')
    const json = { version: '4', status: 'firing', groupKey: 'g', alerts: [{ status: 'firing', fingerprint: 'f' }] }
    const alert = (body: object, key: string) =>
      passTime(clock, post(gateway, alerts, { json: body, headers: { 'idempotency-key': key } }))
    for (const key of ['one', 'other']) expect((await alert(json, key)).status).toBe(200)
    clock.advance(hookLimits.duplicateWithinMs)
    await reconnect()
    expect((await alert(json, 'other')).status).toBe(200)
    expect((await alert({ ...json, receiver: 'chat' }, 'other')).status).toBe(400)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(toBot)).toHaveLength(2)
  })

  test('[GATEWAY-10.7] what was in doubt under a key is adopted', async () => {
    expect(await inDoubt('one', text => keyed(text, 'k'))).toMatchObject(unavailable)
    await reconnect()
    expect((await keyed('one', 'k')).status).toBe(200)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(toBot)).toEqual(['one', 'end'])
  })

  test('[GATEWAY-10.7] what was in doubt under a key is not taken for another body', async () => {
    expect(await inDoubt('one', text => keyed(text, 'k'))).toMatchObject(unavailable)
    await reconnect()
    expect(await keyed('two', 'k')).toMatchObject({ status: 400 })
    expect((await keyed('one', 'k')).status).toBe(200)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(toBot)).toEqual(['one', 'end'])
  })
})

test('[GATEWAY-10.8] 410 when the bot is no longer in the group, and the hook stays', async () => {
  const group = await alice.client.chats.createGroup({ name: 'g', members: [gateway.client.account] }, WITHIN)
  await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(2)
  const grouped = await newHook(api, group.id, 'text')
  expect((await say(gateway, grouped, 'in')).status).toBe(200)
  await alice.client.chats.removeMembers(group.id, [gateway.client.account], WITHIN)
  await expect.poll(() => gateway.client.chats.get(group.id).state, SOON).toBe('left')
  expect(await say(gateway, grouped, 'out')).toMatchObject({ status: 410, body: { code: 'gone' } })
  expect(await api.ok('GET', `/v1/hooks?chat=${group.id}`)).toHaveLength(1)
  expect(await api.call('POST', '/v1/hooks', { json: { chat_id: group.id, format: 'text' } })).toMatchObject({
    status: 400,
  })
  expect((await speak('the other hook')).status).toBe(200)
})

test('[GATEWAY-10.14] what begins like a command is a text, also beside another bot', async () => {
  const helper = await world.person('helper', { bot: true })
  const group = await alice.client.chats.createGroup(
    { name: 'g', members: [gateway.client.account, helper.id] },
    WITHIN,
  )
  await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(2)
  const grouped = await newHook(api, group.id, 'text')
  expect((await say(gateway, grouped, '/start now')).status).toBe(200)
  expect((await helper.hears('/start now')).mentions ?? []).toEqual([])
})
