// The list shows how the last post to each hook ended; a dry run shows what a post would write.
import type { CreatedHook, Hook } from '@postern/bot-api'
import { hookLimits } from '@postern/protocol'
import { passWhenAwaited, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { dry, hearsFrom, hookedGateway, newHook, post, say, secretOf } from './hooks.ts'

const test = base
  .extend('hooked', ({ world, alice, clock }) => hookedGateway(world, alice, { clock }))
  .extend('hook', ({ hooked, alice }) => newHook(hooked.api, alice.id, 'text'))
  /** How the list shows the hook, without the fields that it had when it was created. */
  .extend('last', ({ hooked, hook }) => async ({ id }: { id: string } = hook): Promise<Partial<Hook>> => {
    const found = (await hooked.api.ok<Hook[]>('GET', '/v1/hooks')).find(each => each.id === id)
    const { last_ts, last_status, last_result, last_error } = found ?? {}
    return { last_ts, last_status, last_result, last_error }
  })

const alert = (status: 'firing' | 'resolved') => ({
  version: '4',
  status,
  groupKey: 'g',
  commonLabels: { alertname: 'Load' },
  alerts: [{ status, fingerprint: 'f' }],
})

describe('the last result', () => {
  test('[GATEWAY-10.33] a hook that was not used has none, and a created one is answered without', async ({
    hook,
    last,
  }) => {
    expect(Object.keys(hook).filter(name => name.startsWith('last'))).toEqual([])
    expect(Object.values(await last()).filter(value => value !== undefined)).toEqual([])
  })

  test('[GATEWAY-10.33] it says when, with which status, and why a post was refused, across a restart', async ({
    clock,
    hooked,
    hook,
    last,
  }) => {
    expect((await say(hooked.gateway, hook, 'hello')).status).toBe(200)
    const written = { last_ts: clock.nowMs(), last_status: 200, last_result: 'written', last_error: undefined }
    expect(await last()).toEqual(written)
    clock.advance(1000)
    const refused = await post(hooked.gateway, hook, { json: { text: ' ' } })
    expect(refused.status).toBe(400)
    const refusal = {
      last_ts: clock.nowMs(),
      last_status: 400,
      last_result: 'refused',
      last_error: refused.body['error'],
    }
    expect(await last()).toEqual(refusal)
    await hooked.restart()
    expect(await last()).toEqual(refusal)
  })

  test('[GATEWAY-10.33] a repeat and an event without news are silent', async ({ alice, hooked, last }) => {
    const pipeline = await newHook(hooked.api, alice.id, 'pipeline')
    expect((await post(hooked.gateway, pipeline, { json: { object_kind: 'push' } })).status).toBe(200)
    expect(await last(pipeline)).toMatchObject({ last_status: 200, last_result: 'silent' })
  })

  test('[GATEWAY-10.33] a wrong token, a chat that is gone and a relay that is away are named', async ({
    alice,
    clock,
    hooked,
    hook,
    last,
  }) => {
    const pipeline = await newHook(hooked.api, alice.id, 'pipeline')
    await post(hooked.gateway, pipeline, { json: {}, headers: { 'x-vcs-token': 'wrong' } })
    expect(await last(pipeline)).toMatchObject({
      last_status: 401,
      last_error: 'X-Vcs-Token: must be the secret of the hook.',
    })
    const { account } = hooked.gateway.client
    const group = await alice.client.chats.createGroup({ name: 'g', members: [account] }, WITHIN)
    await expect.poll(() => hooked.gateway.client.chats.list().length, SOON).toBe(2)
    const grouped = await newHook(hooked.api, group.id, 'text')
    await alice.client.chats.removeMembers(group.id, [account], WITHIN)
    await expect.poll(() => hooked.gateway.client.chats.get(group.id).state, SOON).toBe('left')
    expect((await say(hooked.gateway, grouped, 'out')).status).toBe(410)
    expect(await last(grouped)).toMatchObject({ last_status: 410, last_result: 'refused' })
    hooked.gateway.wire.cut()
    await passWhenAwaited(clock, hookLimits.postWithinMs, say(hooked.gateway, hook, 'lost'))
    expect(await last()).toMatchObject({ last_status: 502, last_result: 'refused' })
  })

  test('[GATEWAY-10.33] it contains neither a secret nor a posted word, and is bounded', async ({
    alice,
    hooked,
    hook,
    last,
  }) => {
    const pipeline = await newHook(hooked.api, alice.id, 'pipeline')
    const word = 'unspeakable'.repeat(100)
    const headers = { 'content-type': `text/plain; charset=${word.slice(0, 500)}` }
    for (const one of [hook, pipeline])
      for (const init of [{ json: { text: 5, [word]: word } }, { body: word, headers }, { body: `{"${word}` }]) {
        await post(hooked.gateway, one, { ...init, headers: { 'x-vcs-token': word, ...init.headers } })
        const { last_error: error = '' } = await last(one)
        expect(error).not.toContain('unspeakable')
        expect(error).not.toContain(secretOf(one))
        expect(error.length).toBeLessThanOrEqual(hookLimits.lastErrorUnitsMax)
      }
  })

  test('[GATEWAY-10.33] it goes with its hook', async ({ hooked, hook }) => {
    await say(hooked.gateway, hook, 'hello')
    await hooked.api.ok('DELETE', `/v1/hooks/${hook.id}`)
    const kept = () => hooked.gateway.client.records('hooks').all()
    expect(kept().filter(({ key }) => key.includes(hook.id))).toEqual([])
    // As a post leaves it that ended while its hook was removed.
    await hooked.gateway.client.records('hooks').change({ key: `last/${hook.id}`, put: '{}' })
    await hooked.restart()
    expect(kept().filter(({ key }) => key.includes(hook.id))).toEqual([])
  })
})

describe('a dry run', () => {
  test('[GATEWAY-10.34] it answers with the text, sends nothing and remembers nothing', async ({
    alice,
    hooked,
    hook,
    last,
  }) => {
    const alerts = await newHook(hooked.api, alice.id, 'alerts')
    const before = hooked.gateway.client.records('hooks').all()
    expect(await dry(hooked.gateway, hook, { json: { text: 'trying' } })).toMatchObject({
      status: 200,
      body: { text: 'trying' },
    })
    for (const _ of [1, 2])
      expect((await dry(hooked.gateway, alerts, { json: alert('firing') })).body).toEqual({
        text: '🔥 Load: 1 срабатывание\nбез описания',
      })
    expect(hooked.gateway.client.records('hooks').all()).toEqual(before)
    expect((await last()).last_ts).toBeUndefined()
    // The real one is neither a repeat, nor in reply to a message that there is not.
    expect((await post(hooked.gateway, alerts, { json: alert('firing') })).status).toBe(200)
    const { id } = await hearsFrom(alice, '🔥')
    expect((await dry(hooked.gateway, alerts, { json: alert('resolved') })).body).toEqual({
      text: '✅ Устранено: Load, 1 срабатывание',
      reply_to: id,
      silent: true,
    })
    expect((await dry(hooked.gateway, alerts, { json: alert('firing') })).body).toEqual({
      skipped: 'Nothing would be written: its group was told in the same state just now.',
    })
    expect(alice.texts(hooked.chatId)).toHaveLength(1)
  })

  test('[GATEWAY-10.34] a wrong body, token or secret is refused as in a post, and 0 is a post', async ({
    alice,
    hooked,
    hook,
  }) => {
    const pipeline = await newHook(hooked.api, alice.id, 'pipeline')
    expect((await dry(hooked.gateway, hook, { body: '' })).status).toBe(400)
    const headers = { 'x-vcs-token': 'wrong' }
    expect((await dry(hooked.gateway, pipeline, { json: {}, headers })).status).toBe(401)
    expect(await post(hooked.gateway, hook, { body: 'x', query: '?dry_run=yes' })).toMatchObject({
      status: 400,
      body: { error: 'dry_run: must be 0 or 1.' },
    })
    expect((await post(hooked.gateway, hook, { body: 'real', query: '?dry_run=0&other=1' })).status).toBe(200)
    await alice.hears('real')
  })
})

test('[GATEWAY-10.35] a secret that no sender of the format can prove is 400', async ({ alice, hooked }) => {
  const wanted = { chat_id: alice.id, format: 'text', secret: 's' }
  expect(await hooked.api.call('POST', '/v1/hooks', { json: wanted })).toMatchObject({
    status: 400,
    body: { error: 'secret: must not be sent for the format text.' },
  })
  expect(await hooked.api.ok<CreatedHook>('POST', '/v1/hooks', { ...wanted, secret: null })).not.toHaveProperty(
    'signed',
  )
})
