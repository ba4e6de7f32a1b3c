// Pipelines end to end: failures, fixes, and runs without news.
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { hearsFrom, newHook, post, secretOf } from './hooks.ts'

type Run = { status: string; id?: number; ref?: string; tag?: boolean; project?: string; request?: number }

const event = ({ status, id = 1, ref = 'main', tag = false, project = 'shop/cart', request }: Run) => ({
  object_kind: 'pipeline',
  object_attributes: { id, ref, tag, status, url: `https://git.example.org/${project}/-/pipelines/${id}` },
  project: { path_with_namespace: project, name: project },
  merge_request: request === undefined ? null : { iid: request, source_branch: ref, target_branch: 'main' },
  commit: { id: 'bcbb5ec396a2', title: 'Count twice', author: { name: 'Alice' } },
  builds: [{ name: 'unit', status: 'failed', allow_failure: false }],
})

const test = base
  .extend('hook', ({ hooked, alice }) => newHook(hooked.api, alice.id, 'pipeline'))
  /** The status that the sender receives. */
  .extend('run', ({ hooked, hook }) => async (what: Run, headers: Record<string, string> = {}): Promise<number> => {
    return (await post(hooked.gateway, hook, { json: event(what), headers })).status
  })
  /** The first lines of every message that the bot has sent. */
  .extend('written', ({ hooked, alice }) => async (): Promise<string[]> => {
    const { body } = await hooked.api.send(alice.id, { text: `end ${performance.now()}` })
    await alice.hears(String(body['text']))
    const texts = alice.texts(hooked.chatId).filter(text => !text.startsWith('end '))
    return texts.map(text => text.split('\n')[0] ?? '')
  })

const failed = '❌ Пайплайн упал: shop/cart'
const canceled = '🚫 Пайплайн отменён: shop/cart'
const fixed = '✅ Исправлено: shop/cart, пайплайн снова проходит'

test('[GATEWAY-10.13] failed and canceled are written, and success after a failure as fixed, once', async ({
  alice,
  run,
  written,
}) => {
  expect(await run({ status: 'success', id: 1 })).toBe(200)
  expect(await run({ status: 'failed', id: 2 })).toBe(200)
  expect((await hearsFrom(alice, failed)).text).toContain('Упало задание: unit\nhttps://git.example.org/shop/cart')
  expect(await run({ status: 'canceled', id: 3 })).toBe(200)
  expect(await run({ status: 'success', id: 4 })).toBe(200)
  expect(await run({ status: 'success', id: 5 })).toBe(200)
  expect(await written()).toEqual([failed, canceled, fixed])
})

test('[GATEWAY-10.13] a run that was tried again is fixed; one from before the failure fixes nothing', async ({
  run,
  written,
}) => {
  expect(await run({ status: 'failed', id: 7 })).toBe(200)
  expect(await run({ status: 'success', id: 6 })).toBe(200)
  expect(await written()).toEqual([failed])
  expect(await run({ status: 'success', id: 7 })).toBe(200)
  expect(await written()).toEqual([failed, fixed])
})

test('[GATEWAY-10.13] a success after a canceled run alone is not written', async ({ run, written }) => {
  expect(await run({ status: 'canceled', id: 1 })).toBe(200)
  expect(await run({ status: 'success', id: 2 })).toBe(200)
  expect(await written()).toEqual([canceled])
})

test('[GATEWAY-10.13] projects, branches, tags and merge requests do not mix', async ({ run, written }) => {
  expect(await run({ status: 'failed' })).toBe(200)
  expect(await run({ status: 'success', project: 'shop/till', id: 9 })).toBe(200)
  expect(await run({ status: 'success', ref: 'other', id: 9 })).toBe(200)
  expect(await run({ status: 'success', tag: true, id: 9 })).toBe(200)
  expect(await run({ status: 'success', request: 1, id: 9 })).toBe(200)
  expect(await written()).toEqual([failed])
  expect(await run({ status: 'failed', request: 1 })).toBe(200)
  expect(await run({ status: 'success', request: 1, id: 2 })).toBe(200)
  expect(await written()).toEqual([failed, failed, fixed])
})

test('[GATEWAY-10.13] the last state survives a restart', async ({ hooked, run, written }) => {
  expect(await run({ status: 'failed' })).toBe(200)
  await hooked.restart()
  expect(await run({ status: 'success', id: 2 })).toBe(200)
  expect(await written()).toEqual([failed, fixed])
})

test('[GATEWAY-10.12] other events and states are 200 and silent', async ({ hooked, hook, written }) => {
  for (const json of [
    ...['created', 'pending', 'running', 'skipped', 'manual'].map(status => event({ status })),
    { object_kind: 'push' },
    { object_kind: 'note', object_attributes: { status: 'failed' } },
    {},
  ])
    expect(await post(hooked.gateway, hook, { json })).toMatchObject({ status: 200, body: {} })
  expect((await post(hooked.gateway, hook, { body: 'x' })).status).toBe(400)
  expect(await written()).toEqual([])
})

test('[GATEWAY-10.13] X-Vcs-Token must equal the secret, when it is there', async ({
  alice,
  hooked,
  hook,
  run,
  written,
}) => {
  const wrong = await post(hooked.gateway, hook, {
    json: event({ status: 'failed' }),
    headers: { 'x-vcs-token': 'wrong' },
  })
  expect(wrong).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  expect(await run({ status: 'failed' }, { 'x-vcs-token': '' })).toBe(401)
  expect(await written()).toEqual([])
  expect(await run({ status: 'failed' }, { 'x-vcs-token': secretOf(hook) })).toBe(200)
  expect(await run({ status: 'success', id: 2 })).toBe(200)
  expect(await written()).toEqual([failed, fixed])
  const text = await newHook(hooked.api, alice.id, 'text')
  expect((await post(hooked.gateway, text, { body: 'x', headers: { 'x-vcs-token': 'wrong' } })).status).toBe(200)
})

test('[GATEWAY-10.7] an event that comes again under its key is written once', async ({ run, written }) => {
  const key = { 'idempotency-key': 'delivery 1' }
  for (const _ of [1, 2, 3]) expect(await run({ status: 'failed' }, key)).toBe(200)
  expect(await run({ status: 'failed' }, { 'idempotency-key': 'delivery 2' })).toBe(200)
  expect(await written()).toEqual([failed, failed])
})
