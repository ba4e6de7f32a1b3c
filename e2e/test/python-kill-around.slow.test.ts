// The gateway or the relay is killed around the calls of a bot in Python, and started again: real processes on the same data.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { silentLog } from '@postern/core'
import { inBackground, privateChatId } from '@postern/protocol'
import { freePort } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { GatewayProcess, type Killable, RelayProcess } from '@postern/testkit/processes'
import { describe, expect } from 'vitest'
import { missingFor, startExample } from './example-bot.ts'

const SDK = join(import.meta.dirname, '../../sdk/python')
const BOT = join(SDK, 'test/all_calls_bot.py')
const SOON = { interval: 5, timeout: 60_000 }

const missing = missingFor(BOT)
if (missing.length > 0) console.warn(`${missing.join(' and ')} not installed here: the SDK for Python is not tried`)

type Point = { step: number; moment: 'before' | 'after' }
/** The calls of the handler: the first, that with a file, and the last. */
const POINTS = [1, 3, 5].flatMap(step => (['before', 'after'] as const).map((moment): Point => ({ step, moment })))

/** Passes calls on, and kills a part at one of them; after the call, its answer is lost. */
class KillingProxy implements AsyncDisposable {
  readonly #gateway: string
  readonly #server = createServer((request, response) =>
    inBackground(
      this.#carry(request, response).catch(() => response.destroy()),
      { what: 'call of a bot', log: silentLog },
    ),
  )
  #armed: (Point & { part: Killable }) | undefined
  #calls = 0

  constructor(gateway: string) {
    this.#gateway = gateway
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  arm(part: Killable, point: Point): void {
    this.#armed = { ...point, part }
    this.#calls = 0
  }

  get isArmed(): boolean {
    return this.#armed !== undefined
  }

  async #carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request
    const body = await buffer(request)
    if (method !== 'GET') this.#calls += 1
    const here = method !== 'GET' && this.#calls === this.#armed?.step ? this.#armed : undefined
    if (here?.moment === 'before') await this.#kill(here.part)
    const { authorization = '', 'content-type': type = '', 'idempotency-key': key } = headers
    const answer = await fetch(`${this.#gateway}${url}`, {
      method,
      headers: { authorization, 'content-type': type, ...(key !== undefined && { 'idempotency-key': String(key) }) },
      ...(method !== 'GET' && { body }),
    })
    const content = Buffer.from(await answer.arrayBuffer())
    if (here?.moment === 'after') {
      await this.#kill(here.part)
      throw new Error('the answer is lost')
    }
    const retryAfter = answer.headers.get('retry-after')
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      ...(retryAfter !== null && { 'retry-after': retryAfter }),
    })
    response.end(content)
  }

  async #kill(part: Killable): Promise<void> {
    this.#armed = undefined
    await part.kill()
    part.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

const test = base
  .extend('parts', async ({ world }, { onCleanup }) => {
    const relay = new RelayProcess({ directory: join(world.directory, 'own-relay'), port: await freePort() })
    const place = { directory: join(world.directory, 'own-gateway'), port: await freePort() }
    const gateway = new GatewayProcess(place, relay.url)
    onCleanup(async () => {
      await gateway.end()
      await relay.end()
    })
    relay.start()
    await relay.listening()
    gateway.start()
    await gateway.listening()
    const headers = { authorization: `Bearer ${gateway.token}` }
    const me = async () =>
      (await (await fetch(`${gateway.url}/v1/me`, { headers })).json()) as { id: string; invite_url: string }
    await expect.poll(async () => (await me()).invite_url, SOON).toContain('#i/')
    return { relay, gateway, me: await me() }
  })
  .extend('proxied', async ({ parts }, { onCleanup }) => {
    const proxy = new KillingProxy(parts.gateway.url)
    onCleanup(() => proxy[Symbol.asyncDispose]())
    return { proxy, url: await proxy.listen() }
  })

describe.skipIf(missing.length > 0).for(['gateway', 'relay'] as const)('the %s is killed', killed => {
  test(`[PYTHON-1.7] the ${killed} killed around the calls of a handler, every update is handled and nothing comes twice`, {
    timeout: 300_000,
  }, async ({ world, parts, proxied: { proxy, url } }) => {
    const { gateway, me, relay } = parts
    const alice = await world.person('alice', { relayUrl: relay.url })
    const chat = (await alice.openInvite(me.invite_url)).id
    expect(chat).toBe(privateChatId(me.id as never))
    startExample(BOT, { env: { POSTERN_URL: url, BOT_TOKEN: gateway.token, PYTHONPATH: SDK } })
    const expected: string[] = []
    for (const point of POINTS) {
      const text = `${point.moment} ${point.step}`
      proxy.arm(parts[killed], point)
      await alice.say(chat, text)
      await alice.hears(`${text}: end`)
      // People have the last message before the bot has its answer, if it gets one.
      await expect.poll(() => proxy.isArmed, SOON).toBe(false)
      expected.push(text, `${text}: edited`, `${text}: file`, '', `${text}: end`)
      await expect.poll(() => alice.texts(chat), SOON).toEqual(expected)
    }
  })
})
