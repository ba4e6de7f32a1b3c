// The doctor's findings about a webhook's receiver, and the requests that it never sends to one.
import { createHmac } from 'node:crypto'
import { WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { doctor, receiver, settingsOf, status } from './doctor.ts'

const SECRET = 'a secret of the webhook'
const SOON = { timeout: 30_000 }

const test = base.extend('webhookOf', ({ world }) => (url: string) => {
  return settingsOf(world, { WEBHOOK_URL: url, WEBHOOK_SECRET: SECRET })
})

test('[CLI-6.10] a receiver that answers is asked by OPTIONS alone, and is sent no update', async ({ webhookOf }) => {
  await using one = await receiver(status(405))
  const report = await doctor([], webhookOf(one.address))
  expect(report.of('webhook')).toEqual([`ok ${one.host} answers`])
  expect(one.heard.map(({ method, body }) => [method, body])).toEqual([['OPTIONS', '']])
})

test.for([
  [500, /^FAIL .* answers 500 → /],
  [503, /^FAIL .* answers 503 → /],
  [301, /^FAIL .* redirects, and the gateway does not follow redirects → /],
] as const)('[CLI-6.10] a receiver that answers %i is found', async ([code, line], { webhookOf }) => {
  await using elsewhere = await receiver(status(200))
  await using one = await receiver(status(code, { location: elsewhere.url }))
  const report = await doctor([], webhookOf(one.address))
  expect([report.code, report.of('webhook')]).toEqual([1, [expect.stringMatching(line)]])
  expect(elsewhere.heard).toEqual([])
})

test('[CLI-6.10] one whose name does not resolve, and one where nobody listens', async ({ webhookOf }) => {
  const unknown = await doctor([], webhookOf('http://nobody.invalid/a-secret-path'))
  expect(unknown.of('webhook')).toEqual([expect.stringMatching(/^FAIL nobody\.invalid .*does not resolve/)])
  const gone = await receiver(status(200))
  gone.close()
  const silent = await doctor([], webhookOf(gone.address))
  expect(silent.of('webhook')).toEqual([expect.stringMatching(/^FAIL .*nothing listens there/)])
})

test('[CLI-6.10] with --webhook-test a signed test is sent, which no update can be taken for', async ({
  webhookOf,
}) => {
  await using one = await receiver(status(204))
  const report = await doctor(['--webhook-test'], webhookOf(one.address))
  expect(report.of('webhook')).toEqual([`ok ${one.host} accepted a signed test`])
  expect(one.heard).toHaveLength(1)
  const [{ method, headers, body } = { method: '', headers: {}, body: '' }] = one.heard
  expect([method, headers['content-type']]).toEqual(['POST', 'application/json'])
  const digest = createHmac('sha256', SECRET).update(body).digest('hex')
  expect(headers['x-service-signature']).toBe(`sha256=${digest}`)
  const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])]
  const standard = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${standard}`)
  expect(id).toMatch(/^test_/)
  expect(JSON.parse(body)).toEqual({ test: 'postern doctor' })
})

test.for([
  [401, /answers 401 to a signed test → configure the receiver with the secret/],
  [404, /answers 404 to a signed test → check the path of WEBHOOK_URL/],
  [500, /answers 500 → /],
] as const)(
  '[CLI-6.10] a receiver that answers %i to the signed test does not take updates either',
  async ([code, line], { webhookOf }) => {
    await using one = await receiver((response, { method }) => status(method === 'POST' ? code : 200)(response))
    expect((await doctor([], webhookOf(one.address))).code).toBe(0)
    const report = await doctor(['--webhook-test'], webhookOf(one.address))
    expect([report.code, report.of('webhook')]).toEqual([1, [expect.stringMatching(line)]])
  },
)

test('[CLI-6.10] updates that the running gateway cannot deliver are found, whatever OPTIONS is answered', async ({
  world,
  alice,
  webhookOf,
}) => {
  await using one = await receiver((response, { method }) => status(method === 'POST' ? 400 : 200)(response))
  const gateway = await world.gateway(webhookOf(one.address))
  await gateway.client.whenOnline(WITHIN)
  const { body } = await gateway.api<{ invite_url: string }>('GET', '/v1/me')
  const { id } = await alice.openInvite(body.invite_url)
  await alice.say(id, 'hello')
  await expect.poll(() => one.heard.filter(({ method }) => method === 'POST').length, SOON).toBeGreaterThan(0)
  const failed = async () => (await doctor([], webhookOf(one.address))).of('webhook')[0]
  await expect
    .poll(failed, SOON)
    .toMatch(/^FAIL \d+ updates wait for .* does not accept them: The receiver answered 400/)
  await world.closeGateway(gateway)
})
