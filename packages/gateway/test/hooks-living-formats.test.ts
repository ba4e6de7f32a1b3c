// Hooks whose messages live: how they are created, and the formats beside alerts.
import { hookLimits } from '@postern/protocol'
import { passTime } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { readSettings } from '../src/config.ts'
import { dry, newHook, post } from './hooks.ts'
import { test as base, groupBody, labelsOf, livingHook } from './living.ts'

const pipeline = (status: string, more: object = {}) => ({
  object_kind: 'pipeline',
  object_attributes: { id: 7, ref: 'main', status, url: 'https://git.example.test/shop/-/pipelines/7', ...more },
  project: { id: 1, path_with_namespace: 'shop/cart' },
})

const test = base.extend('posts', ({ hooked, clock }) => {
  return async (hook: { url: string }, json: object, headers: Record<string, string> = {}) =>
    await passTime(clock, post(hooked.gateway, hook, { json, headers }))
})

describe('how they are created', () => {
  test('[GATEWAY-14.17] by the field options, which the list shows, and for three formats', async ({
    hooked,
    alice,
  }) => {
    const options = { living: true as const, silence: ['30m', '2d'], allow: [alice.id], quiet_resolve: true }
    const made = await livingHook(hooked, alice.id, options)
    expect(made.options).toEqual(options)
    expect(await hooked.api.ok('GET', '/v1/hooks')).toMatchObject([{ id: made.id, options }])
    for (const format of ['grafana', 'pipeline']) await livingHook(hooked, alice.id, { format })
  })

  test.for<[object, string]>([
    [{ format: 'text', options: { living: true } }, 'options: must not be sent for the format text.'],
    [{ format: 'alerts', options: { living: false } }, 'options.living: must be true.'],
    [{ format: 'alerts', options: {} }, 'options.living: must be true.'],
    [
      { format: 'alerts', options: { living: true, silence: [] } },
      'options.silence: must have 1 to 4 different spans.',
    ],
    [
      { format: 'alerts', options: { living: true, silence: ['1h', '1h'] } },
      'options.silence: must have 1 to 4 different spans.',
    ],
    [
      { format: 'alerts', options: { living: true, silence: ['31d'] } },
      'options.silence[0]: must be a number and m, h or d, from 1m to 30d.',
    ],
    [
      { format: 'grafana', options: { living: true, silence: ['1h'] } },
      'options.silence: must not be sent for the format grafana.',
    ],
    [
      { format: 'alerts', options: { living: true, allow: 'everybody' } },
      'options.allow: must be "members", or 1 to 100 account ids.',
    ],
    [
      { format: 'pipeline', options: { living: true, quiet_resolve: true } },
      'options: must have only living for the format pipeline.',
    ],
  ])('[GATEWAY-14.17] %j is 400', async ([fields, error], { hooked, alice }) => {
    const answer = await hooked.api.call('POST', '/v1/hooks', { json: { chat_id: alice.id, ...fields } })
    expect(answer).toMatchObject({ status: 400, body: { error } })
  })

  test('[GATEWAY-14.17] by a command with the word living', async ({ hooked, alice, clock }) => {
    await passTime(clock, alice.say(hooked.chatId, '/hook alerts ru living'))
    await passTime(
      clock,
      alice.next('message', ({ message }) => message.text?.includes('(alerts, ru, living)') === true),
    )
    await passTime(clock, alice.say(hooked.chatId, '/hook text living'))
    await passTime(
      clock,
      alice.next('message', ({ message }) => message.text?.includes('text living') === true),
    )
    const hooks = await hooked.api.ok<unknown[]>('GET', '/v1/hooks')
    expect(hooks).toMatchObject([{ format: 'alerts', lang: 'ru', options: { living: true } }])
  })

  test('[GATEWAY-14.17] other hooks write as before: a new message, without buttons', async ({
    hooked,
    alice,
    posts,
    messages,
    clock,
  }) => {
    const plain = await newHook(hooked.api, alice.id, 'alerts')
    const nowMs = clock.nowMs()
    await posts(plain, groupBody({ alerts: [{ at: 'a' }], nowMs }))
    await posts(plain, groupBody({ alerts: [{ at: 'a' }, { at: 'b' }], nowMs }))
    const all = await messages()
    expect(all).toHaveLength(2)
    for (const message of all) expect(labelsOf(message)).toEqual([])
  })

  test('[GATEWAY-14.17] a dry run shows the message, and changes nothing', async ({
    hooked,
    hook,
    fires,
    messages,
    clock,
  }) => {
    const json = groupBody({ alerts: [{ at: 'a' }], nowMs: clock.nowMs() })
    const shown = await dry(hooked.gateway, hook, { json })
    expect(shown.body).toMatchObject({ text: '🔥 InstanceDown: 1\na (critical), 12 min', buttons: expect.any(Array) })
    expect(await messages()).toEqual([])
    await fires([{ at: 'a' }])
    expect(await messages()).toHaveLength(1)
  })

  test.for<[Record<string, string>, RegExp]>([
    [{ ALERTMANAGER_URL: 'am:9093' }, /ALERTMANAGER_URL.*must be addresses like/],
    [{ ALERTMANAGER_URL: 'http://am:9093,ftp://am' }, /ALERTMANAGER_URL/],
    [{ ALERTMANAGER_URL: 'http://me:password@am:9093' }, /ALERTMANAGER_URL/],
    [{ ALERTMANAGER_URL: 'http://am:9093?x=1' }, /ALERTMANAGER_URL/],
    [{ ALERTMANAGER_URL: Array(9).fill('http://am').join(',') }, /at most 8/],
    [{ ALERTMANAGER_TOKEN: 'two words' }, /ALERTMANAGER_TOKEN/],
  ])('[GATEWAY-14.12] the setting %j is refused', ([env, sentence]) => {
    const read = () => readSettings({ BOT_TOKEN: 'token', ...env })
    expect(read).toThrow(sentence)
    expect(read).not.toThrow(/password/)
  })
})

describe('grafana', () => {
  test('[GATEWAY-14.18] a group of Grafana lives, with its own link to silence it', async ({
    hooked,
    alice,
    posts,
    presses,
    shows,
    messages,
    manager,
    clock,
  }) => {
    const hook = await livingHook(hooked, alice.id, { format: 'grafana' })
    const body = (ended?: number) => {
      const { alerts, ...rest } = groupBody({ alerts: [{ at: 'db-1', ...(ended !== undefined && { ended }) }], nowMs })
      const links = {
        silenceURL: 'https://grafana.example.test/silence',
        panelURL: 'https://grafana.example.test/panel',
      }
      return { ...rest, version: '1', orgId: 1, alerts: alerts.map(alert => ({ ...alert, ...links })) }
    }
    const nowMs = clock.nowMs()
    expect(await posts(hook, body())).toMatchObject({ status: 200 })
    const [first] = await messages()
    expect(first && labelsOf(first)).toEqual(['Take it', 'Silence', 'Panel'])
    await presses(alice, 'Take it')
    await shows(/\n👤 alice/)
    await posts(hook, body(1))
    await shows(/^✅ Resolved: InstanceDown, 11 min/)
    expect(manager.requests).toEqual([])
  })
})

describe('pipelines', () => {
  test('[GATEWAY-14.19] a pipeline is one message from running to finished, and its failure is told', async ({
    hooked,
    alice,
    posts,
    messages,
  }) => {
    const hook = await livingHook(hooked, alice.id, { format: 'pipeline' })
    for (const status of ['pending', 'running']) await posts(hook, pipeline(status))
    expect((await messages()).map(({ text }) => text)).toEqual([
      '⏳ Pipeline running: shop/cart\nBranch: main\nhttps://git.example.test/shop/-/pipelines/7',
    ])
    await posts(hook, pipeline('failed'))
    await posts(hook, pipeline('failed'))
    // It comes late, and changes nothing.
    await posts(hook, pipeline('running'))
    const all = await messages()
    expect(all.map(({ text }) => text?.split('\n', 1)[0])).toEqual([
      '❌ Pipeline failed: shop/cart',
      '❌ Pipeline failed: shop/cart',
    ])
    expect(all[1]?.reply_to).toBe(all[0]?.id)
    await posts(hook, pipeline('success'))
    expect((await messages())[0]?.text).toMatch(/^✅ Pipeline passed/)
  })

  test('[GATEWAY-14.19] run again long after its end, it runs again', async ({
    hooked,
    alice,
    posts,
    messages,
    later,
  }) => {
    const hook = await livingHook(hooked, alice.id, { format: 'pipeline' })
    await posts(hook, pipeline('failed'))
    await later(hookLimits.living.lateWithinMs)
    await posts(hook, pipeline('running'))
    expect((await messages()).map(({ text }) => text?.split('\n', 1)[0])).toEqual(['⏳ Pipeline running: shop/cart'])
  })

  test('[GATEWAY-14.19] a wrong token is 401, and other events are no news', async ({
    hooked,
    alice,
    posts,
    messages,
  }) => {
    const hook = await livingHook(hooked, alice.id, { format: 'pipeline' })
    expect(await posts(hook, pipeline('running'), { 'x-vcs-token': 'wrong' })).toMatchObject({ status: 401 })
    expect(await posts(hook, { object_kind: 'push' })).toMatchObject({ status: 200 })
    expect(await posts(hook, { object_kind: 'pipeline', object_attributes: { status: 'running' } })).toMatchObject({
      status: 200,
    })
    expect(await messages()).toEqual([])
  })
})
