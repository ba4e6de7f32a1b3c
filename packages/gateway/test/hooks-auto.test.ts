// The format `auto`: one address that recognises whose post it is.
import type { HookFormat } from '@postern/bot-api'
import { sampleBodies } from '@postern/testkit/hook-samples'
import { expect, test } from 'vitest'
import { formatOfBody } from '../src/hooks/formats/auto.ts'
import { formatOf, formats } from '../src/hooks/formats/formats.ts'
import { readBody, readJson, readJsonOrForm } from '../src/hooks/formats/post-body.ts'
import { test as inWorld } from './fixtures.ts'
import { newHook, post, secretOf } from './hooks.ts'

const typed = (json: unknown, headers: Record<string, string> = {}, type = 'application/json') => ({
  text: JSON.stringify(json),
  type,
  headers,
})

const own = (Object.keys(sampleBodies) as HookFormat[]).filter(name => name !== 'gitlab')
test.each(own)('[GATEWAY-10.44] it recognises %s', name => {
  for (const { json, headers } of sampleBodies[name] ?? []) expect(formatOfBody(typed(json, headers))).toBe(name)
})

test('[GATEWAY-10.44] GitLab by its header, forms, plain texts, and JSON under a wrong type', () => {
  for (const { json } of sampleBodies.gitlab ?? []) {
    const body = typed(json, { 'x-gitlab-event': 'Some Hook' })
    expect(formatOfBody(body)).toBe('gitlab')
    const isPipeline = (json as { object_kind: string }).object_kind === 'pipeline'
    expect(formatOf('auto', body).storageKey).toBe(formats[isPipeline ? 'pipeline' : 'gitlab'].storageKey)
    expect(formatOf('auto', body).proof).toBe(formats.gitlab.proof)
  }
  const form = { text: 'payload=%7B%22text%22%3A%22x%22%7D', type: 'application/x-www-form-urlencoded' }
  expect(formatOfBody(form)).toBe('slack')
  expect(formatOfBody({ text: '', type: 'multipart/form-data' })).toBe('uptime_kuma')
  expect(['done', '{not JSON', '{"a":1}'].map(text => formatOfBody({ text, type: 'text/plain' }))).toEqual([
    'text',
    'text',
    'text',
  ])
  expect(formatOfBody(typed({ version: '4', alerts: [] }, {}, 'text/plain'))).toBe('alerts')
})

test('[GATEWAY-10.44] a body that is not recognised is refused by what was seen, not by what was posted', () => {
  expect(() => formatOfBody(typed({ version: '9', alerts: 1, unspeakable: 1 }))).toThrow(
    'body: must be in a known format, and has only the fields version, alerts.',
  )
  expect(() => formatOfBody(typed({}))).toThrow('body: must be in a known format, and has none of the known fields.')
})

inWorld('[GATEWAY-10.44] one address for every sender, with the answer of each', async ({ alice, hooked }) => {
  const hook = await newHook(hooked.api, alice.id, 'auto')
  expect((await post(hooked.gateway, hook, { json: { text: 'plainly' } })).body).toEqual({})
  await alice.hears('plainly')
  const answer = await fetch(`${hooked.gateway.url}/hooks/${secretOf(hook)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"attachments":[{"text":"*x*"}]}',
  })
  expect([answer.status, await answer.text()]).toEqual([200, 'ok'])
  await alice.hears('x')
  const refused = await post(hooked.gateway, hook, { json: { unspeakable: 1 } })
  expect(refused.status).toBe(400)
  // With a secret, only formats that can prove it.
  const wanted = { chat_id: alice.id, format: 'auto', secret: 's' }
  const signed = await hooked.api.ok<{ url: string }>('POST', '/v1/hooks', wanted)
  expect((await post(hooked.gateway, signed, { json: { text: 'unproven' } })).status).toBe(401)
})

test('[GATEWAY-10.50] a body is parsed once, however many formats look at it', () => {
  const body = readBody(Buffer.from('{"text":"hello"}'), { 'content-type': 'application/json' })
  expect(readJson(body)).toBe(readJson(body))
  expect(readJsonOrForm(body, 'payload')).toBe(readJson(body))
})
