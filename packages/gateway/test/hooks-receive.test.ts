// Posts to a hook while the relay fails, the chat goes, and senders retry: nothing is doubled, and nothing is sent unnoticed.
import { hookLimits } from '@postern/protocol'
import { passTime, passWhenAwaited, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { backOnline, hookedGateway, newHook, type Posted, post, say } from './hooks.ts'

const unavailable = { status: 502, body: { code: 'unavailable' } }

const test = base
  .extend('hooked', ({ world, alice, clock }) => hookedGateway(world, alice, { clock }))
  .extend('hook', ({ hooked, alice }) => newHook(hooked.api, alice.id, 'text'))
  .extend(
    'speak',
    ({ hooked, hook }) =>
      (text: string): Promise<Posted> =>
        say(hooked.gateway, hook, text),
  )
  /** A post under a key. */
  .extend('keyed', ({ hooked, hook }) => (body: string, key: string): Promise<Posted> => {
    return post(hooked.gateway, hook, { body, headers: { 'content-type': 'text/plain', 'idempotency-key': key } })
  })
  .extend('reconnect', ({ hooked, clock }) => async (): Promise<void> => {
    hooked.gateway.wire.mend()
    hooked.gateway.wire.drop()
    await backOnline(clock, hooked.gateway)
  })
  /** The relay accepts the post, alice receives it, and the relay's answer is lost. */
  .extend('inDoubt', ({ hooked, alice, clock }) => {
    return async (text: string, posting: (text: string) => Promise<Posted>): Promise<Posted> => {
      const { wire } = hooked.gateway
      const pass = wire.incoming
      wire.incoming = () => []
      const posted = posting(text)
      await alice.hears(text)
      clock.advance(hookLimits.postWithinMs)
      const answer = await posted
      wire.incoming = pass
      return answer
    }
  })

describe('502', () => {
  test('[GATEWAY-10.5] without the relay it comes within seconds, and nothing is sent later', async ({
    alice,
    clock,
    hooked,
    speak,
    reconnect,
  }) => {
    hooked.gateway.wire.cut()
    expect(await passWhenAwaited(clock, hookLimits.postWithinMs, speak('lost'))).toMatchObject(unavailable)
    await reconnect()
    expect((await speak('next')).status).toBe(200)
    await alice.hears('next')
    expect(alice.texts(hooked.chatId)).toEqual(['next'])
  })

  test('[GATEWAY-10.5] what was in doubt is adopted when the same body comes again', async ({
    alice,
    hooked,
    speak,
    reconnect,
    inDoubt,
  }) => {
    expect(await inDoubt('once', speak)).toMatchObject(unavailable)
    await reconnect()
    expect((await speak('another')).status).toBe(200)
    expect((await speak('once')).status).toBe(200)
    await alice.hears('another')
    expect(alice.texts(hooked.chatId)).toEqual(['once', 'another'])
  })

  test('[GATEWAY-10.5] also after a restart', async ({ alice, hooked, speak, inDoubt }) => {
    expect(await inDoubt('once', speak)).toMatchObject(unavailable)
    await hooked.restart()
    expect((await speak('once')).status).toBe(200)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(hooked.chatId)).toEqual(['once', 'end'])
  })

  test('[GATEWAY-10.5] after a 200 the same body is a new event', async ({ alice, speak }) => {
    for (const _ of [1, 2]) expect((await speak('again')).status).toBe(200)
    await alice.hears('again')
    await alice.hears('again')
  })

  test('[GATEWAY-10.5] an attempt is forgotten after a day', async ({ alice, clock, speak, reconnect, inDoubt }) => {
    expect(await inDoubt('old', speak)).toMatchObject(unavailable)
    await reconnect()
    clock.leap(hookLimits.attempts.keptMs + 1000)
    await reconnect()
    expect((await speak('old')).status).toBe(200)
    await alice.hears('old')
  })

  test('[GATEWAY-10.5] a text in parts goes on behind the last part that the relay has', async ({
    alice,
    clock,
    hooked,
    speak,
    reconnect,
  }) => {
    const parts = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(4096))
    let appends = 0
    hooked.gateway.wire.outgoing = frame => {
      // Only the parts are of this size.
      if (frame.length > 4096 && ++appends === 3) hooked.gateway.wire.cut()
      return [frame]
    }
    const cutOff = speak(parts.join(''))
    await expect.poll(() => appends, SOON).toBe(3)
    expect(await passWhenAwaited(clock, hookLimits.postWithinMs, cutOff)).toMatchObject(unavailable)
    hooked.gateway.wire.outgoing = frame => [frame]
    await reconnect()
    expect((await speak(parts.join(''))).status).toBe(200)
    await alice.hears(parts[3] ?? '')
    expect(alice.texts(hooked.chatId)).toEqual(parts)
  })

  test('[GATEWAY-10.5] a sender that hung up before its turn is not written', async ({
    alice,
    clock,
    hooked,
    hook,
    speak,
    reconnect,
  }) => {
    hooked.gateway.wire.cut()
    const first = say(hooked.gateway, hook, 'first')
    await expect.poll(() => clock.isAwaited(hookLimits.postWithinMs), SOON).toBe(true)
    const hungUp = new AbortController()
    const second = post(hooked.gateway, hook, { body: 'second', signal: hungUp.signal }).catch(() => 'hung up')
    // Requested after it, and answered: by then it has arrived, and waits.
    for (const _ of [1, 2]) await hooked.gateway.api('GET', '/v1/chats')
    hungUp.abort()
    expect(await second).toBe('hung up')
    await reconnect()
    await passTime(clock, first)
    expect((await speak('third')).status).toBe(200)
    await alice.hears('third')
    expect(alice.texts(hooked.chatId)).not.toContain('second')
  })

  test('[GATEWAY-10.5] a sender that hung up too early to be answered doubles nothing when it comes again', async ({
    alice,
    hooked,
    hook,
    speak,
  }) => {
    hooked.gateway.wire.hold()
    const hungUp = new AbortController()
    const first = post(hooked.gateway, hook, { body: 'once', signal: hungUp.signal }).catch(() => 'hung up')
    await alice.hears('once')
    hungUp.abort()
    expect(await first).toBe('hung up')
    // They are received after the hang-up, and need no relay.
    for (const _ of [1, 2]) await hooked.gateway.api('GET', '/v1/chats')
    hooked.gateway.wire.release()
    expect((await speak('once')).status).toBe(200)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(hooked.chatId)).toEqual(['once', 'end'])
    expect((await speak('once')).status).toBe(200)
    await alice.hears('once')
  })
})

describe('Idempotency-Key', () => {
  test('[GATEWAY-10.7] what was written under a key is not written again, over restarts too', async ({
    alice,
    hooked,
    keyed,
  }) => {
    expect((await keyed('one', 'k')).status).toBe(200)
    expect((await keyed('one', 'k')).status).toBe(200)
    await hooked.restart()
    expect((await keyed('one', 'k')).status).toBe(200)
    expect((await keyed('one', 'other')).status).toBe(200)
    expect((await keyed('end', 'x'.repeat(5000))).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(hooked.chatId)).toEqual(['one', 'one', 'end'])
  })

  test('[GATEWAY-10.7] an empty key is 400: nothing would keep the post from being written twice', async ({
    alice,
    hooked,
    keyed,
  }) => {
    expect(await keyed('one', '')).toMatchObject({
      status: 400,
      body: { code: 'bad_request', error: 'idempotency-key: must have at least one byte.' },
    })
    expect((await keyed('end', 'k')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(hooked.chatId)).toEqual(['end'])
  })

  test('[GATEWAY-10.7] with another body it is 400, and after a day the key is free', async ({
    clock,
    keyed,
    reconnect,
  }) => {
    expect((await keyed('one', 'k')).status).toBe(200)
    expect(await keyed('two', 'k')).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^Idempotency-Key:/) },
    })
    clock.leap(hookLimits.keys.keptMs + 1000)
    await reconnect()
    expect((await keyed('two', 'k')).status).toBe(200)
  })

  test('[GATEWAY-10.7] what there was nothing to write for is not written under its key later', async ({
    alice,
    clock,
    hooked,
    speak,
    reconnect,
  }) => {
    const alerts = await newHook(hooked.api, alice.id, 'alerts')
    const json = { version: '4', status: 'firing', groupKey: 'g', alerts: [{ status: 'firing', fingerprint: 'f' }] }
    const alert = (body: object, key: string) =>
      passTime(clock, post(hooked.gateway, alerts, { json: body, headers: { 'idempotency-key': key } }))
    for (const key of ['one', 'other']) expect((await alert(json, key)).status).toBe(200)
    clock.advance(hookLimits.duplicateWithinMs)
    await reconnect()
    expect((await alert(json, 'other')).status).toBe(200)
    expect((await alert({ ...json, receiver: 'chat' }, 'other')).status).toBe(400)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(hooked.chatId)).toHaveLength(2)
  })

  test('[GATEWAY-10.7] what was in doubt under a key is adopted', async ({
    alice,
    hooked,
    speak,
    keyed,
    reconnect,
    inDoubt,
  }) => {
    expect(await inDoubt('one', text => keyed(text, 'k'))).toMatchObject(unavailable)
    await reconnect()
    expect((await keyed('one', 'k')).status).toBe(200)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(hooked.chatId)).toEqual(['one', 'end'])
  })

  test('[GATEWAY-10.7] what was in doubt under a key is not taken for another body', async ({
    alice,
    hooked,
    speak,
    keyed,
    reconnect,
    inDoubt,
  }) => {
    expect(await inDoubt('one', text => keyed(text, 'k'))).toMatchObject(unavailable)
    await reconnect()
    expect(await keyed('two', 'k')).toMatchObject({ status: 400 })
    expect((await keyed('one', 'k')).status).toBe(200)
    expect((await speak('end')).status).toBe(200)
    await alice.hears('end')
    expect(alice.texts(hooked.chatId)).toEqual(['one', 'end'])
  })
})

test('[GATEWAY-10.8] 410 when the bot is no longer in the group, and the hook stays', async ({
  alice,
  hooked,
  speak,
}) => {
  const group = await alice.client.chats.createGroup({ name: 'g', members: [hooked.gateway.client.account] }, WITHIN)
  await expect.poll(() => hooked.gateway.client.chats.list().length, SOON).toBe(2)
  const grouped = await newHook(hooked.api, group.id, 'text')
  expect((await say(hooked.gateway, grouped, 'in')).status).toBe(200)
  await alice.client.chats.removeMembers(group.id, [hooked.gateway.client.account], WITHIN)
  await expect.poll(() => hooked.gateway.client.chats.get(group.id).state, SOON).toBe('left')
  expect(await say(hooked.gateway, grouped, 'out')).toMatchObject({ status: 410, body: { code: 'gone' } })
  expect(await hooked.api.ok('GET', `/v1/hooks?chat=${group.id}`)).toHaveLength(1)
  expect(await hooked.api.call('POST', '/v1/hooks', { json: { chat_id: group.id, format: 'text' } })).toMatchObject({
    status: 400,
  })
  expect((await speak('the other hook')).status).toBe(200)
})

test('[GATEWAY-10.14] what begins like a command is a text, also beside another bot', async ({
  world,
  alice,
  hooked,
}) => {
  const helper = await world.person('helper', { bot: true })
  const group = await alice.client.chats.createGroup(
    { name: 'g', members: [hooked.gateway.client.account, helper.id] },
    WITHIN,
  )
  await expect.poll(() => hooked.gateway.client.chats.list().length, SOON).toBe(2)
  const grouped = await newHook(hooked.api, group.id, 'text')
  expect((await say(hooked.gateway, grouped, '/start now')).status).toBe(200)
  expect((await helper.hears('/start now')).mentions ?? []).toEqual([])
})
