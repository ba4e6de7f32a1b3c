// METRICS_TOKEN: gives Prometheus the metrics without control of the bot.
import { apiError, type Endpoint, endpoints } from '@postern/bot-api'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { onlineGateway } from './api.ts'

const METRICS_TOKEN = 'a-token-for-figures'
const METRICS = '/v1/metrics'
const all = Object.values<Endpoint>(endpoints)

const test = base
  .extend('gateway', { scope: 'file' }, async ({ world }) => {
    const env = { METRICS_TOKEN, HOOKS_URL: 'https://hooks.example.org', REFERENCE: 'on' }
    return (await onlineGateway(world, env)).gateway
  })
  .extend(
    'ask',
    ({ gateway }) =>
      (path: string, { method = 'GET', authorization = `Bearer ${METRICS_TOKEN}` } = {}) =>
        fetch(gateway.url + path, { method, headers: { authorization } }),
  )

test('[GATEWAY-2.24] both tokens open the metrics, to GET and HEAD', async ({ gateway, ask }) => {
  for (const token of [METRICS_TOKEN, gateway.token]) {
    const [got, head] = [
      await ask(METRICS, { authorization: `Bearer ${token}` }),
      await ask(METRICS, { method: 'HEAD', authorization: `bearer  ${token}` }),
    ]
    expect([got.status, head.status]).toEqual([200, 200])
    expect(await got.text()).toContain('postern_relay_connected 1')
  }
})

test('[GATEWAY-2.24] at every other endpoint of the table it is 401', async ({ ask }) => {
  const closed = all.filter(({ open, path }) => open === undefined && path !== METRICS)
  expect(closed.length).toBeGreaterThan(25)
  for (const { method, path } of closed) {
    const url = path.replaceAll(/\{\w+\}/g, 'x'.repeat(32))
    for (const one of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
      const answer = await ask(url, { method: one })
      expect([one, path, answer.status]).toEqual([one, path, 401])
      if (one !== 'HEAD') expect(apiError.parse(await answer.json()).code).toBe('unauthorized')
    }
  }
})

test('[GATEWAY-2.24] nor does it open another method, or what only looks like that path', async ({ ask }) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect([method, (await ask(METRICS, { method })).status]).toEqual([method, 401])
  const paths = [
    '/v1',
    '/v1/',
    '/v1/metrics/',
    '/v1/metrics/me',
    '/v1//metrics',
    '/v1/METRICS',
    '/v1/metrics%2f',
    '/v1/%ff',
  ]
  for (const path of [...paths, '/v1/me?/v1/metrics', '/v1/me;/v1/metrics', '/v1/nothing'])
    expect([path, (await ask(path)).status]).toEqual([path, 401])
})

test('[GATEWAY-2.24] what is nearly one of the tokens opens nothing', async ({ gateway, ask }) => {
  const wrong = [
    `${METRICS_TOKEN}x`,
    METRICS_TOKEN.slice(1),
    METRICS_TOKEN.toUpperCase(),
    `${METRICS_TOKEN}${gateway.token}`,
  ]
  for (const authorization of [
    ...wrong.map(token => `Bearer ${token}`),
    METRICS_TOKEN,
    `Basic ${METRICS_TOKEN}`,
    'Bearer ',
  ])
    expect([authorization, (await ask(METRICS, { authorization })).status]).toEqual([authorization, 401])
})

test('[GATEWAY-2.24] without one only BOT_TOKEN opens the metrics', async ({ world }) => {
  for (const [name, env] of [
    ['none', {}],
    ['empty', { METRICS_TOKEN: '' }],
  ] as const) {
    const { url, token } = await world.gateway({ ...env, BOT_NAME: name, DATA_DIR: `${world.directory}/${name}` })
    const ask = async (authorization: string) => (await fetch(url + METRICS, { headers: { authorization } })).status
    expect([await ask(`Bearer ${token}`), await ask('Bearer undefined'), await ask('Bearer '), await ask('')]).toEqual([
      200, 401, 401, 401,
    ])
    expect((await fetch(url + METRICS)).status).toBe(401)
  }
})
