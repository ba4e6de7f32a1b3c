// Hooks with a secret: signatures and tokens of senders, and their deliveries, each of which is written once.
import { createHmac } from 'node:crypto'
import type { CreatedHook, Hook } from '@postern/bot-api'
import { hookLimits } from '@postern/protocol'
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { backOnline, dry, hookedGateway, type Posted, post } from './hooks.ts'

const SECRET = 'a secret of alice'
const hmac = (body: string, secret = SECRET): string => createHmac('sha256', secret).update(body).digest('hex')

const test = base
  .extend('hooked', ({ world, alice, clock }) => hookedGateway(world, alice, { clock }))
  .extend(
    'signed',
    ({ hooked, alice }) =>
      (format: string, secret?: string): Promise<CreatedHook> =>
        hooked.api.ok<CreatedHook>('POST', '/v1/hooks', {
          chat_id: alice.id,
          format,
          lang: 'en',
          ...(secret && { secret }),
        }),
  )

const issue = (title: string): string =>
  JSON.stringify({ action: 'opened', repository: { full_name: 'a/b' }, issue: { number: 1, title } })
const github = (body: string, more: Record<string, string> = {}) => ({
  body,
  headers: { 'content-type': 'application/json', 'x-github-event': 'issues', ...more },
})

test('[GATEWAY-10.35] github: only a body that was signed with the secret, and the secret is never shown', async ({
  alice,
  hooked,
  signed,
}) => {
  const hook = await signed('github', SECRET)
  expect(hook.signed).toBe(true)
  const body = issue('real')
  const wrong: Record<string, string>[] = [
    {},
    { 'x-hub-signature-256': '' },
    { 'x-hub-signature-256': hmac(body) },
    { 'x-hub-signature-256': `sha256=${hmac(body, 'other')}` },
    { 'x-hub-signature-256': `sha256=${hmac(`${body} `)}` },
    { 'x-hub-signature-256': `sha256=${hmac(body).slice(0, 63)}` },
    { 'x-hub-signature': `sha1=${hmac(body)}` },
  ]
  for (const headers of wrong) {
    expect(await post(hooked.gateway, hook, github(body, headers))).toMatchObject({
      status: 401,
      body: { error: 'X-Hub-Signature-256: must prove the secret with which the hook was created.' },
    })
    expect((await dry(hooked.gateway, hook, github(body, headers))).status).toBe(401)
  }
  const right = { 'x-hub-signature-256': `sha256=${hmac(body)}` }
  expect((await post(hooked.gateway, hook, github(body, right))).status).toBe(200)
  await hooked.restart()
  const other = issue('after a restart')
  expect((await post(hooked.gateway, hook, github(other))).status).toBe(401)
  const list = await hooked.api.ok<Hook[]>('GET', '/v1/hooks')
  expect(list).toMatchObject([{ signed: true, last_status: 401, last_result: 'refused' }])
  expect(JSON.stringify([hook, list])).not.toContain(SECRET)
  await alice.next('message', ({ message }) => message.text?.includes('real') === true)
  expect(alice.texts(hooked.chatId)).toEqual(['📌 Issue 1: real\nRepository: a/b'])
})

test('[GATEWAY-10.35] gitlab and sentry: the token and the signature, also of an event that is not written', async ({
  hooked,
  signed,
}) => {
  const [gitlab, sentry] = [await signed('gitlab', SECRET), await signed('sentry', SECRET)]
  const status = async (made: CreatedHook, body: string, headers: Record<string, string>): Promise<number> =>
    (await post(hooked.gateway, made, { body, headers: { 'content-type': 'application/json', ...headers } })).status
  const run = '{"object_kind":"pipeline","object_attributes":{"status":"failed"}}'
  for (const body of ['{"object_kind":"push"}', run]) {
    expect(await status(gitlab, body, {})).toBe(401)
    expect(await status(gitlab, body, { 'x-gitlab-token': 'wrong' })).toBe(401)
    expect(await status(gitlab, body, { 'x-gitlab-token': SECRET })).toBe(200)
  }
  const body = '{"action":"created","data":{"issue":{"title":"Oops"}}}'
  expect(await status(sentry, body, { 'sentry-hook-signature': hmac(`${body}x`) })).toBe(401)
  expect(await status(sentry, body, { 'sentry-hook-signature': hmac(body) })).toBe(200)
})

test('[GATEWAY-10.37] a delivery is written once: with another body, after a minute, and across a restart', async ({
  alice,
  clock,
  hooked,
  signed,
}) => {
  const hook = await signed('github')
  const deliver = (body: string, id: string): Promise<Posted> =>
    post(hooked.gateway, hook, github(body, { 'x-github-delivery': id }))
  const first = await Promise.all([deliver(issue('one'), 'd1'), deliver(issue('one'), 'd1')])
  expect(first.map(({ status }) => status)).toEqual([200, 200])
  clock.advance(hookLimits.repeatWithinMs.event)
  await hooked.restart()
  expect((await deliver(issue('one'), 'd1')).status).toBe(200)
  expect((await deliver(issue('changed on the way'), 'd1')).status).toBe(200)
  // The same words in another delivery are another event.
  expect((await deliver(issue('one'), 'd2')).status).toBe(200)
  expect((await deliver(issue('end'), 'd3')).status).toBe(200)
  await alice.next('message', ({ message }) => message.text?.includes('end') === true)
  const titles = alice.texts(hooked.chatId).map(text => text.split('\n')[0])
  expect(titles).toEqual(['📌 Issue 1: one', '📌 Issue 1: one', '📌 Issue 1: end'])
  expect(await hooked.api.ok('GET', '/v1/hooks')).toMatchObject([{ last_result: 'written' }])
  await backOnline(clock, hooked.gateway)
})

test('[GATEWAY-10.37] events of GitLab that caused each other share an UUID, and are both written', async ({
  alice,
  hooked,
  signed,
}) => {
  const hook = await signed('gitlab')
  const tag = (ref: string) => ({ object_kind: 'tag_push', ref, project: { name: 'p' } })
  const headers = { 'x-gitlab-event-uuid': 'u1' }
  for (const ref of ['v1', 'v1', 'v2', 'v1'])
    expect((await post(hooked.gateway, hook, { json: tag(ref), headers })).status).toBe(200)
  await alice.next('message', ({ message }) => message.text?.includes('v2') === true)
  expect(alice.texts(hooked.chatId)).toEqual(['🏷 Tag v1: p', '🏷 Tag v2: p'])
})
