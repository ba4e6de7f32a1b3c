// Messages of hooks that notify nobody: good news, and everything of a silent hook.
import type { CreatedHook, Hook } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { answer, hearsFrom, hookedGateway, newHook, post } from './hooks.ts'

const test = base.extend('hooked', ({ world, alice, clock }) =>
  hookedGateway(world, alice, { clock, env: { BOT_OWNERS: alice.id } }),
)

const alert = (status: string, name = 'Load') => ({
  version: '4',
  status,
  groupKey: name,
  commonLabels: { alertname: name },
  alerts: [{ status, fingerprint: 'f' }],
})

const run = (status: string, id: number) => ({
  object_kind: 'pipeline',
  object_attributes: { id, ref: 'main', status },
})

const isSilent = (message: Message): boolean => message.silent ?? false

test('[GATEWAY-10.32] a firing alert notifies, and its resolution does not', async ({ alice, hooked }) => {
  const hook = await newHook(hooked.api, alice.id, 'alerts')
  expect(hook).not.toHaveProperty('silent')
  await post(hooked.gateway, hook, { json: alert('firing') })
  expect(isSilent(await hearsFrom(alice, '🔥'))).toBe(false)
  await post(hooked.gateway, hook, { json: alert('resolved') })
  expect(isSilent(await hearsFrom(alice, '✅'))).toBe(true)
  // Without a firing message to reply to.
  await post(hooked.gateway, hook, { json: alert('resolved', 'Disk') })
  expect(isSilent(await hearsFrom(alice, '✅ Устранено: Disk'))).toBe(true)
})

test('[GATEWAY-10.32] a failed or canceled pipeline notifies, and a fixed branch does not', async ({
  alice,
  hooked,
}) => {
  const hook = await newHook(hooked.api, alice.id, 'pipeline')
  const heard: boolean[] = []
  for (const [at, status] of ['failed', 'canceled', 'success'].entries()) {
    expect((await post(hooked.gateway, hook, { json: run(status, at + 1) })).status).toBe(200)
    heard.push(isSilent((await alice.next('message')).message))
  }
  expect(heard).toEqual([false, false, true])
})

test('[GATEWAY-10.32] a silent hook notifies nobody, across a restart, and is listed as silent', async ({
  alice,
  hooked,
}) => {
  const wanted = { chat_id: alice.id, format: 'text', silent: true }
  const hook = await hooked.api.ok<CreatedHook>('POST', '/v1/hooks', wanted)
  expect(hook.silent).toBe(true)
  await hooked.restart()
  expect(await hooked.api.ok<Hook[]>('GET', '/v1/hooks')).toMatchObject([{ id: hook.id, silent: true }])
  // Every part of a text that is too long for one message.
  const long = `${'a'.repeat(4000)} ${'b'.repeat(4000)}`
  expect((await post(hooked.gateway, hook, { json: { text: long } })).status).toBe(200)
  for (const letter of ['a', 'b']) expect(isSilent(await hearsFrom(alice, letter))).toBe(true)
})

test('[GATEWAY-10.32] an owner creates one by the command, in any order of its words', async ({ alice, hooked }) => {
  for (const words of ['alerts silent', 'alerts EN silent', 'alerts Silent en'])
    expect(await answer(alice, hooked.chatId, `/hook ${words}`)).toContain('silent)')
  const hooks = await hooked.api.ok<Hook[]>('GET', '/v1/hooks')
  expect(hooks.map(({ lang, silent }) => [lang, silent])).toEqual([
    [undefined, true],
    ['en', true],
    ['en', true],
  ])
  for (const words of ['alerts silent silent', 'silent alerts', 'alerts en ru'])
    expect(await answer(alice, hooked.chatId, `/hook ${words}`)).toContain(`«${words}»`)
  expect(await hooked.api.ok('GET', '/v1/hooks')).toHaveLength(3)
})

test('[GATEWAY-10.32] another value is 400, and null and false are as if absent', async ({ alice, hooked }) => {
  const create = (silent: unknown) =>
    hooked.api.call('POST', '/v1/hooks', { json: { chat_id: alice.id, format: 'text', silent } })
  expect(await create('yes')).toMatchObject({ status: 400, body: { error: 'silent: must be true or false.' } })
  for (const silent of [null, false]) expect((await create(silent)).body).not.toHaveProperty('silent')
  expect(await hooked.api.ok('GET', '/v1/hooks')).toHaveLength(2)
})
