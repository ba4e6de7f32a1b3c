// The doctor's findings about the address of hooks. A post to a hook that does not exist takes a second.
import { createServer } from 'node:http'
import { WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { doctor, front, receiver, serving, settingsOf, status } from './doctor.ts'

const test = base
  .extend('gateway', async ({ world }) => {
    const gateway = await world.gateway(settingsOf(world, { HOOKS_URL: 'https://hooks.example/helper' }))
    await gateway.client.whenOnline(WITHIN)
    return gateway
  })
  .extend(
    'hooksOf',
    ({ world, gateway: _runs }) =>
      (url: string) =>
        settingsOf(world, { HOOKS_URL: url }),
  )

/** Only the beginning of a path with dots is checked, as careless proxies do. */
const hooksAlone = (path: string) => (/^\/hooks\/[\w-]+$/.test(path) ? undefined : 404)

test('[CLI-6.11] an address that passes /hooks/ alone is in order', async ({ gateway, hooksOf }) => {
  await using proxy = await front({ to: () => gateway.url, refuse: hooksAlone })
  const report = await doctor([], hooksOf(proxy.url))
  expect(report.of('hooks')).toEqual([`ok ${proxy.host} passes posts to hooks, and nothing else`])
})

test('[CLI-6.11] below a path of its own, too, and there as well the API is found', async ({ gateway, hooksOf }) => {
  const below = (path: string) => (path.startsWith('/helper/') ? hooksAlone(path.slice('/helper'.length)) : 404)
  await using proxy = await front({ to: () => gateway.url, refuse: below })
  const report = await doctor([], hooksOf(`${proxy.url}/helper`))
  expect(report.of('hooks')).toEqual([`ok ${proxy.host} passes posts to hooks, and nothing else`])
  await using cutting = await resolvingTo(() => gateway.url, '/helper')
  const open = await doctor([], hooksOf(`${cutting.url}/helper`))
  expect(open.of('hooks')).toEqual([expect.stringMatching(/^FAIL the whole API .* \(by \/v1\/me\)/)])
})

type Refuse = (path: string) => number | undefined
const careless: [how: string, refuse: Refuse, by: string][] = [
  ['all of it', () => undefined, '/v1/me'],
  ['dots', path => (path.startsWith('/hooks/') ? undefined : 404), '/hooks/../v1/me'],
  ['dots that are escaped', path => (/^\/hooks\/(?!\.\.)/.test(path) ? undefined : 404), '/hooks/%2e%2e/v1/me'],
]

test.for(careless)(
  '[CLI-6.11] a proxy that lets the API through is found: %s',
  async ([, refuse, by], { gateway, hooksOf }) => {
    // As proxies do that resolve dots before they forward a request.
    await using resolving = await resolvingTo(() => gateway.url)
    await using proxy = await front({ to: () => resolving.url, refuse })
    const report = await doctor([], hooksOf(proxy.url))
    expect(report.code).toBe(1)
    expect(report.of('hooks')).toEqual([expect.stringMatching(/^FAIL the whole API .* → .*pass only \/hooks\//)])
    expect(report.text).toContain(`(by ${by})`)
  },
)

async function resolvingTo(to: () => string, prefix = '') {
  const server = createServer((incoming, response) => {
    const { pathname: whole } = new URL(incoming.url ?? '/', 'http://x')
    if (!whole.startsWith(prefix)) return void response.writeHead(404).end()
    const pathname = whole.slice(prefix.length)
    const headers = { 'content-type': incoming.headers['content-type'] ?? '' }
    const init = incoming.method === 'POST' ? { method: 'POST', body: 'x', headers } : {}
    fetch(to() + decodeURI(pathname), init).then(
      async answer => void response.writeHead(answer.status).end(await answer.text()),
      () => void response.writeHead(502).end(),
    )
  })
  return await serving(server)
}

test('[CLI-6.11] an address that leads to somebody else, to nobody, or to a gateway without hooks', async ({
  world,
  gateway,
  hooksOf,
}) => {
  await using shop = await receiver(status(404))
  const elsewhere = await doctor([], hooksOf(shop.url))
  expect(elsewhere.of('hooks')).toEqual([expect.stringMatching(/^FAIL a post .* does not reach a gateway: .*404/)])
  // The owner of that host is unknown: it did not receive the token.
  expect(shop.heard.length).toBeGreaterThan(1)
  for (const { headers } of shop.heard) expect(headers.authorization).toBeUndefined()
  await using proxy = await front({ to: () => gateway.url, refuse: hooksAlone })
  await world.closeGateway(gateway)
  const nobody = await doctor([], hooksOf(proxy.url))
  expect(nobody.of('hooks')).toEqual([expect.stringMatching(/^FAIL a post .* answers 502/)])
  const without = await world.gateway(settingsOf(world))
  await using lonely = await front({ to: () => without.url, refuse: hooksAlone })
  const deaf = await doctor([], hooksOf(lonely.url))
  expect(deaf.of('hooks')).toEqual([expect.stringMatching(/^FAIL the gateway behind .* serves no hooks → /)])
  await world.closeGateway(without)
})

test('[CLI-6.11] the gateway itself, on this machine alone, is no fault', async ({ gateway, hooksOf }) => {
  const report = await doctor([], hooksOf(gateway.url))
  expect(report.of('hooks')).toEqual([expect.stringMatching(/^ok /)])
})

test('[CLI-6.4] no token, no secret, and of addresses nothing behind the host is printed', async ({ world }) => {
  await using one = await receiver(status(500))
  const secrets = [
    'T0ken-of-the-bot-that-is-long',
    'S3cret',
    'a-secret-path',
    'hidden',
    'hook-path',
    'InviteC0de',
    'pa55',
  ]
  const env = settingsOf(world, {
    BOT_TOKEN: 'T0ken-of-the-bot-that-is-long',
    WEBHOOK_URL: one.address.replace('http://', 'http://user:pa55@'),
    WEBHOOK_SECRET: 'S3cret',
    HOOKS_URL: `${one.url}/hook-path`,
    RELAY_INVITE: 'InviteC0de',
  })
  for (const argv of [[], ['--json'], ['--webhook-test'], ['--json', '--webhook-test']]) {
    const { text } = await doctor(argv, env)
    expect(text).toContain(one.host)
    for (const secret of secrets) expect(text).not.toContain(secret)
  }
})
