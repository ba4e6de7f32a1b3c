// Hooks through the API, and the endpoint for posts: secrets, statuses, guesses, logs.
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type CreatedHook, createdHook, type Hook, hook as hookSchema } from '@postern/bot-api'
import { hookLimits, privateChatId } from '@postern/protocol'
import { ManualClock, passTime, passWhenAwaited, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { readSettings } from '../src/config.ts'
import { startGateway } from '../src/gateway.ts'
import { onlineGateway, SOON } from './api.ts'
import { test } from './fixtures.ts'
import { allFormats, HOOKS_URL, hearsFrom, hookedGateway, newHook, post, say, secretOf } from './hooks.ts'

describe('the API', () => {
  test('[GATEWAY-10.1] hooks are made, listed and removed; the address is shown once', async ({
    alice,
    bob,
    hooked: { gateway, api },
  }) => {
    await bob.openInvite((await api.me()).invite_url)
    const made = createdHook.parse(await newHook(api, alice.id, 'text'))
    expect(made).toMatchObject({ chat_id: alice.id, format: 'text', ts: expect.any(Number) })
    expect(made.url).toMatch(/^https:\/\/hooks\.example\.org\/hooks\/[\w-]{43}$/)
    await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(2)
    const other = await newHook(api, bob.id, 'alerts')
    const { url: _, ...shown } = made
    expect(await api.ok('GET', `/v1/hooks?chat=${alice.id}`)).toEqual([hookSchema.strict().parse(shown)])
    expect((await api.ok<Hook[]>('GET', '/v1/hooks')).map(({ id }) => id)).toEqual([made.id, other.id])
    expect((await say(gateway, made, 'hello')).status).toBe(200)
    await alice.hears('hello')
    expect(await api.ok('DELETE', `/v1/hooks/${made.id}`)).toEqual({})
    expect(await api.call('DELETE', `/v1/hooks/${made.id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await api.ok('GET', `/v1/hooks?chat=${alice.id}`)).toEqual([])
    expect((await say(gateway, made, 'again')).status).toBe(404)
  })

  test('[GATEWAY-10.1] without HOOKS_URL there are no such paths', async ({ online: { gateway, api } }) => {
    for (const [method, path] of [
      ['GET', '/v1/hooks'],
      ['POST', '/v1/hooks'],
      ['DELETE', '/v1/hooks/x'],
      ['POST', '/hooks/x'],
    ] as const)
      expect(await api.call(method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await fetch(`${gateway.url}/v1/hooks`)).status).toBe(401)
    expect((await say(gateway, { url: 'x/some-secret' }, 'hello')).body['error']).not.toContain('some-secret')
  })

  test.for([
    [{}, 400, 'chat_id: must be a chat id.'],
    [{ chat_id: 5, format: 'text' }, 400, 'chat_id: must be a chat id.'],
    [{ chat_id: 'b'.repeat(32) }, 400, `format: must be ${allFormats.inApi}.`],
    [{ chat_id: 'b'.repeat(32), format: 'html' }, 400, `format: must be ${allFormats.inApi}.`],
    [{ chat_id: 'b'.repeat(32), format: 'text' }, 404, `There is no chat ${'b'.repeat(32)}.`],
    [{ chat_id: 'x', format: 'text' }, 404, 'There is no chat x.'],
  ] as const)('[GATEWAY-10.1] POST /v1/hooks of %j: %i', async ([json, status, error], { hooked: { api } }) => {
    expect(await api.call('POST', '/v1/hooks', { json })).toMatchObject({ status, body: { error } })
    expect(await api.ok('GET', '/v1/hooks')).toEqual([])
    for (const chat of ['x', 'b'.repeat(32)]) expect((await api.call('GET', `/v1/hooks?chat=${chat}`)).status).toBe(404)
  })

  test('[GATEWAY-10.1] hooks survive a restart; of the secret only a hash is in the data directory', async ({
    world,
    alice,
    hooked: { gateway, api },
  }) => {
    const made = await newHook(api, alice.id, 'text')
    const stored = gateway.client.records('hooks').all()
    expect(JSON.stringify(stored)).not.toContain(secretOf(made))
    await world.closeGateway(gateway)
    const directory = join(world.directory, 'gateway')
    for (const file of readdirSync(directory, { withFileTypes: true }).filter(one => one.isFile()))
      expect(readFileSync(join(directory, file.name)).includes(secretOf(made))).toBe(false)
    const { gateway: again } = await onlineGateway(world, { HOOKS_URL })
    expect((await say(again, made, 'after the restart')).status).toBe(200)
    await alice.hears('after the restart')
  })
})

test.for([
  ['https://x.example', 'https://x.example/hooks/'],
  ['https://x.example/', 'https://x.example/hooks/'],
  ['https://x.example/a/b', 'https://x.example/a/b/hooks/'],
  ['http://x.example:8080/a//', 'http://x.example:8080/a/hooks/'],
] as const)('[GATEWAY-10.2] HOOKS_URL=%s', async ([url, start], { world, alice }) => {
  const { gateway, api } = await hookedGateway(world, alice, { env: { HOOKS_URL: url } })
  const made = await newHook(api, alice.id, 'text')
  expect(made.url.slice(0, start.length + 5)).toBe(start + secretOf(made).slice(0, 5))
  // Through a proxy that strips the path, and through one that does not.
  for (const path of [`/hooks/${secretOf(made)}`, new URL(made.url).pathname]) {
    const answer = await fetch(gateway.url + path, { method: 'POST', body: path.slice(0, 5) })
    expect([answer.status, await answer.json()]).toEqual([200, {}])
    await alice.hears(path.slice(0, 5))
  }
})

test.each(['https://x.example/?a', 'https://x.example/#a'])('[GATEWAY-10.2] HOOKS_URL=%s is refused', url => {
  expect(() => readSettings({ BOT_TOKEN: 'x', HOOKS_URL: url })).toThrow(/^HOOKS_URL: /)
})

describe('the edge', () => {
  test('[GATEWAY-10.3] other methods and paths are 404, and nothing ever redirects', async ({
    alice,
    hooked: { gateway, api },
  }) => {
    const made = await newHook(api, alice.id, 'text')
    const secret = secretOf(made)
    const bad = [
      `/hooks/${secret}/`,
      `/hooks/${secret}/x`,
      '/hooks',
      '/hooks/',
      `//hooks/${secret}`,
      `/hooks/${secret}%2f`,
      `/HOOKS/${secret}`,
      `/Hooks/${secret}`,
      `/hook/${secret}`,
      `/hooks%2f${secret}`,
      `/${secret}`,
      `/nothing?secret=${secret}`,
    ]
    for (const [method, path] of [
      ['GET', `/hooks/${secret}`],
      ['HEAD', `/hooks/${secret}`],
      ['PUT', `/hooks/${secret}`],
      ...bad.map(path => ['POST', path] as const),
      ['POST', `/hooks/${'x'.repeat(500)}`],
      ['POST', '/hooks/%ff'],
    ] as const) {
      const answer = await fetch(gateway.url + path, { method, redirect: 'manual' })
      expect([method, path, answer.status]).toEqual([method, path, 404])
      expect(await answer.text()).not.toContain(secret)
    }
  })

  test('[GATEWAY-10.3] a body of 1 MB is taken, one byte more is not', async ({ alice, hooked: { gateway, api } }) => {
    const made = await newHook(api, alice.id, 'text')
    const json = (bytes: number) => `{"text":"x","rest":"${'y'.repeat(bytes - 22)}"}`
    const headers = { 'content-type': 'application/json' }
    expect(json(hookLimits.bodyBytesMax).length).toBe(2 ** 20)
    expect((await post(gateway, made, { body: json(hookLimits.bodyBytesMax), headers })).status).toBe(200)
    expect(await post(gateway, made, { body: json(hookLimits.bodyBytesMax + 1), headers })).toMatchObject({
      status: 400,
      body: { error: 'body: must have at most 1048576 bytes.', code: 'bad_request' },
    })
  })

  test('[GATEWAY-10.3] a body that ends early is not written', async ({ alice, hooked: { gateway, api } }) => {
    const made = await newHook(api, alice.id, 'text')
    const socket = connect(gateway.port, '127.0.0.1')
    socket.write(`POST /hooks/${secretOf(made)} HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\nhalf`)
    await expect.poll(() => socket.bytesWritten, SOON).toBeGreaterThan(0)
    socket.destroy()
    expect((await say(gateway, made, 'whole')).status).toBe(200)
    await alice.hears('whole')
    expect(alice.texts(privateChatId(gateway.client.account))).toEqual(['whole'])
  })

  test('[GATEWAY-10.3] guesses are answered late, and keep nobody waiting who has a secret', async ({
    clock,
    world,
    alice,
  }) => {
    const { gateway, api } = await hookedGateway(world, alice, { clock })
    const made = await newHook(api, alice.id, 'text')
    const guess = (at: number) => say(gateway, { url: `x/${`${at}`.padStart(43, 'g')}` }, 'x')
    const answered: number[] = []
    const guesses = Array.from({ length: hookLimits.missesWaitingMax + 50 }, (_, at) =>
      guess(at).then(({ status }) => void answered.push(status)),
    )
    await expect.poll(() => answered.length, SOON).toBe(50)
    expect(new Set(answered)).toEqual(new Set([502]))
    expect((await say(gateway, made, 'a real one')).status).toBe(200)
    await alice.hears('a real one')
    expect(answered).toHaveLength(50)
    clock.advance(hookLimits.missDelayMs)
    await Promise.all(guesses)
    expect(answered.filter(status => status === 404)).toHaveLength(hookLimits.missesWaitingMax)
    expect(await passTime(clock, guess(7))).toMatchObject({
      status: 404,
      body: { error: 'There is no such hook.', code: 'not_found' },
    })
  })
})

test('[GATEWAY-10.18] a flood of guesses does not fill the log', async ({ world }) => {
  const errors: string[] = []
  const settings = readSettings({
    BOT_TOKEN: 'test-token',
    BOT_NAME: 'bot',
    RELAY_URL: world.relayUrl,
    LISTEN: '127.0.0.1:0',
    DATA_DIR: join(world.directory, 'guessed'),
    HOOKS_URL,
  })
  const quiet = { debug: () => {}, info: () => {}, warn: () => {} }
  const clock = new ManualClock(Date.now())
  const log = { ...quiet, error: (_: object, text: string) => void errors.push(text) }
  const gateway = await startGateway({ settings, clock, log })
  const statuses: number[] = []
  const guesses = Array.from({ length: hookLimits.missesWaitingMax + 20 }, (_, at) =>
    say(gateway, { url: `x/guess-${at}` }, 'x').then(({ status }) => void statuses.push(status)),
  )
  await expect.poll(() => statuses, SOON).toEqual(Array(20).fill(502))
  clock.advance(hookLimits.missDelayMs)
  await Promise.all(guesses)
  await gateway.stop()
  expect(errors).toEqual([])
})

test('[GATEWAY-10.4] no log at any level and no error holds the secret or the text', async ({ world, alice }) => {
  const logged: string[] = []
  const write = (fields: object, text: string) => {
    const error = (fields as { err?: Error }).err
    logged.push(`${text} ${JSON.stringify(fields)} ${error?.stack} ${String(error?.cause)}`)
  }
  const settings = readSettings({
    BOT_TOKEN: 'test-token',
    BOT_NAME: 'bot',
    RELAY_URL: world.relayUrl,
    LISTEN: '127.0.0.1:0',
    DATA_DIR: join(world.directory, 'logged'),
    HOOKS_URL,
    LOG_LEVEL: 'debug',
  })
  const clock = new ManualClock(Date.now())
  const gateway = await startGateway({ settings, clock, log: { debug: write, info: write, warn: write, error: write } })
  await gateway.client.whenOnline(WITHIN)
  await alice.openInvite(gateway.client.identity.me().inviteUrl)
  await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(1)
  const make = async (format: string) => {
    const response = await fetch(`${gateway.url}/v1/hooks`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id: alice.id, format }),
    })
    return (await response.json()) as CreatedHook
  }
  const [text, pipeline] = [await make('text'), await make('pipeline')]
  const answers = [
    await say(gateway, text, 'an unspeakable text'),
    await say(gateway, text, ''),
    await say(gateway, pipeline, 'no JSON, but unspeakable'),
    await post(gateway, pipeline, { json: {}, headers: { 'x-vcs-token': 'unspeakable' } }),
    await passWhenAwaited(clock, hookLimits.missDelayMs, say(gateway, { url: 'x/an-unspeakable-guess' }, 'x')),
  ]
  await hearsFrom(alice, 'an unspeakable')
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 401, 404])
  await world.stopRelay()
  answers.push(await passWhenAwaited(clock, hookLimits.postWithinMs, say(gateway, text, 'unspeakable, too')))
  expect(answers.at(-1)).toMatchObject({ status: 502, body: { code: 'unavailable' } })
  await gateway.stop()
  const said = [...logged, ...answers.map(({ body }) => JSON.stringify(body))].join('\n')
  expect(said).toContain('POST /hooks/:secret')
  for (const secret of [secretOf(text), secretOf(pipeline), 'unspeakable']) expect(said).not.toContain(secret)
  for (const { body } of answers) expect(JSON.stringify(body).length).toBeLessThan(200)
})
