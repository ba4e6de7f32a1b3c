// A hook with a template: created, shown, stored and removed; posts to it, and the command that cannot create one.
import type { CreatedHook, Hook } from '@postern/bot-api'
import { hookLimits } from '@postern/protocol'
import { describe, expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { answer, dry, hookedGateway, post } from './hooks.ts'

const source = '{{status | map:"firing=🔥,resolved=✅"}} {{name | cut:80}}{{#each tags}}\n{{title}}{{/each}}'

const test = base
  .extend('hooked', ({ world, alice, clock }) => hookedGateway(world, alice, { clock, env: { BOT_OWNERS: alice.id } }))
  .extend(
    'create',
    ({ hooked, alice }) =>
      (template: unknown, more: object = {}) =>
        hooked.api.call('POST', '/v1/hooks', { json: { chat_id: alice.id, format: 'template', template, ...more } }),
  )
  .extend('hook', ({ hooked, alice }) =>
    hooked.api.ok<CreatedHook>('POST', '/v1/hooks', { chat_id: alice.id, format: 'template', template: source }),
  )
  .extend(
    'listed',
    ({ hooked }) =>
      () =>
        hooked.api.ok<Hook[]>('GET', '/v1/hooks'),
  )

describe('creating', () => {
  test('[GATEWAY-10.46] a wrong template is 400 with its line and the rule, and leaves no hook', async ({
    create,
    listed,
  }) => {
    const max = hookLimits.template.bytesMax
    const refused: [unknown, string][] = [
      [
        'a\n{{b | eval}}',
        'template: line 2, column 7: a filter must be one of cut, default, map, upper, lower, trim, ',
      ],
      ['{{#if a}}', 'template: line 1, column 1: must close this block with {{/if}}.'],
      ['я'.repeat(max / 2 + 1), `template: must have at most ${max} bytes.`],
      ['x'.repeat(max + 1), `template: must have 1 to ${max} bytes.`],
      ['', `template: must have 1 to ${max} bytes.`],
      [5, `template: must have 1 to ${max} bytes.`],
      [undefined, 'template: must be sent for the format template.'],
      [null, 'template: must be sent for the format template.'],
    ]
    for (const [template, error] of refused)
      expect(await create(template)).toMatchObject({
        status: 400,
        body: { code: 'bad_request', error: expect.stringContaining(error) },
      })
    expect(await create('x', { format: 'text' })).toMatchObject({
      status: 400,
      body: { error: 'template: must not be sent for the format text.' },
    })
    expect(await create('x', { secret: 's' })).toMatchObject({ status: 400 })
    expect(await listed()).toEqual([])
  })

  test('[GATEWAY-10.49] no command carries a template: its answer says so, and creates nothing', async ({
    alice,
    hooked,
    listed,
  }) => {
    for (const command of ['/hook template', '/hook template en'])
      expect(await answer(alice, hooked.chatId, command)).toBe(
        'Хук с шаблоном создаётся через API, потому что шаблон не помещается в команду: POST /v1/hooks с полями format и template.',
      )
    expect(await listed()).toEqual([])
  })
})

describe('posts', () => {
  test('[GATEWAY-10.49] the template is shown, writes, and outlives a restart', async ({
    alice,
    hooked,
    hook,
    listed,
  }) => {
    expect(hook).toMatchObject({ format: 'template', template: source })
    const body = { status: 'firing', name: 'Load', tags: [{ title: 'db' }] }
    expect((await dry(hooked.gateway, hook, { json: body })).body).toEqual({ text: '🔥 Load\ndb' })
    expect(await post(hooked.gateway, hook, { json: body })).toMatchObject({ status: 200, body: {} })
    await alice.hears('🔥 Load\ndb')
    await hooked.restart()
    expect(await listed()).toMatchObject([{ id: hook.id, template: source, last_result: 'written' }])
    expect((await post(hooked.gateway, hook, { json: { ...body, status: 'resolved' } })).status).toBe(200)
    await alice.hears('✅ Load\ndb')
    await hooked.api.ok('DELETE', `/v1/hooks/${hook.id}`)
    expect(await listed()).toEqual([])
  })

  test('[GATEWAY-10.48] an exceeded limit is 400 for the sender and in the list, and writes nothing', async ({
    alice,
    hooked,
    hook,
    listed,
  }) => {
    const tags = Array.from({ length: hookLimits.template.stepsMax }, () => ({ unspeakable: 'unspeakable' }))
    const error = 'template: must take at most 10000 steps, and takes more for this body.'
    for (const send of [post, dry])
      expect(await send(hooked.gateway, hook, { json: { name: 'x', tags } })).toMatchObject({
        status: 400,
        body: { error },
      })
    expect(await listed()).toMatchObject([{ last_status: 400, last_result: 'refused', last_error: error }])
    expect((await post(hooked.gateway, hook, { json: { name: 'after' } })).status).toBe(200)
    await alice.hears('after')
    expect(alice.texts(hooked.chatId)).toEqual(['after'])
  })

  test('[GATEWAY-10.49] an empty text is not written', async ({ hooked, hook, listed }) => {
    expect((await dry(hooked.gateway, hook, { json: {} })).body).toEqual({
      skipped: 'Nothing would be written: its template makes an empty text.',
    })
    expect((await post(hooked.gateway, hook, { json: { name: '\u200b \u2060' } })).status).toBe(200)
    expect(await listed()).toMatchObject([{ last_status: 200, last_result: 'silent' }])
  })

  test('[GATEWAY-10.47] posted words stay words: no link, no mention, no button, no line', async ({
    alice,
    hooked,
    hook,
  }) => {
    const name = `**b** [Bank](https://evil.example) <https://evil.example|Bank> @${alice.id}\n/x`
    expect((await post(hooked.gateway, hook, { json: { name } })).status).toBe(200)
    const { text, entities, mentions, buttons } = await alice.hears(`${name.replace('\n', ' ').slice(0, 79)}…`)
    expect(text).not.toContain('\n')
    expect([entities, mentions ?? [], buttons]).toEqual([undefined, [], undefined])
  })

  test('[GATEWAY-10.49] a text that is too long for one message becomes several', async ({ alice, hooked, create }) => {
    const { body } = await create('{{a}}')
    const hook = body as unknown as CreatedHook
    const line = 'x'.repeat(4096)
    expect((await post(hooked.gateway, hook, { json: { a: `${line}y` } })).status).toBe(200)
    await alice.hears(line)
    await alice.hears('y')
  })
})
