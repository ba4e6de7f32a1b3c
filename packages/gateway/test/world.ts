// A relay, gateways and people in one process, over real sockets and a temporary directory.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, type Log, silentLog } from '@postern/core'
import { openNodeClient } from '@postern/core/node'
import { type Clock, privateChatId } from '@postern/protocol'
import type { Bot, Message, Update } from '@postern/protocol/bot-api'
import { parseInvite } from '@postern/protocol/content'
import { type Relay, startRelay } from '@postern/relay'
import { expect } from 'vitest'
import { type Environment, readSettings } from '../src/config.ts'
import { type Gateway, startGateway } from '../src/gateway.ts'

export const TOKEN = 'a-secret-token'
export const within = { deadlineMs: 10_000 }

type Answer = { status: number; headers: Headers; body: unknown }

/** The API as an operator's program sees it. */
export class Api {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async get(path: string, signal?: AbortSignal): Promise<Answer> {
    return await this.#ask(path, signal ? { signal } : {})
  }

  async post(path: string, body: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json' }
    return await this.#ask(path, { method: 'POST', body: JSON.stringify(body), headers })
  }

  async me(): Promise<Bot> {
    return (await this.get('/v1/me')).body as Bot
  }

  async updates(query: string): Promise<Update[]> {
    const { status, body } = await this.get(`/v1/updates?${query}`)
    expect(status).toBe(200)
    return body as Update[]
  }

  /** As bots do it: asks from an offset until a message arrives. */
  async nextMessage(from = 0): Promise<{ id: number; message: Message }> {
    for (let offset = from; ; ) {
      for (const update of await this.updates(`offset=${offset}&timeout=20`)) {
        if (update.type === 'message') return update
        offset = update.id + 1
      }
    }
  }

  async #ask(path: string, init: RequestInit): Promise<Answer> {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) }
    const answer = await fetch(`${this.#url}${path}`, { ...init, headers })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }
}

type Surroundings = { clock?: Clock; log?: Log }

export class World implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'postern-gateway-'))
  relay: Relay
  readonly #opened: { stop(): Promise<void> }[] = []

  private constructor() {
    this.relay = undefined as unknown as Relay
  }

  static async open(): Promise<World> {
    const world = new World()
    await world.startRelay(0)
    return world
  }

  async startRelay(port: number): Promise<void> {
    this.relay = await startRelay({
      listen: { host: '127.0.0.1', port },
      dataDirectory: join(this.directory, 'relay'),
    })
    this.#opened.push(this.relay)
  }

  settings(env: Environment = {}) {
    return readSettings({
      BOT_TOKEN: TOKEN,
      RELAY_URL: this.relay.url,
      BOT_NAME: 'Bot',
      LISTEN: '127.0.0.1:0',
      DATA_DIR: join(this.directory, 'bot'),
      ...env,
    })
  }

  async gateway(env: Environment = {}, { clock, log = silentLog }: Surroundings = {}): Promise<Gateway & { api: Api }> {
    const gateway = await startGateway({ settings: this.settings(env), log, ...(clock && { clock }) })
    this.#opened.push(gateway)
    return { ...gateway, api: new Api(gateway.url) }
  }

  /** A gateway whose bot is registered. */
  async onlineGateway(env: Environment = {}, surroundings: Surroundings = {}): Promise<Gateway & { api: Api }> {
    const gateway = await this.gateway(env, surroundings)
    await online(gateway.client)
    return gateway
  }

  async person(name: string): Promise<Client> {
    const client = await openNodeClient({
      directory: join(this.directory, name),
      acceptRequests: 'all',
      firstStart: () => ({ relayUrl: this.relay.url, name, bot: false }),
    })
    this.#opened.push(client)
    client.start()
    await online(client)
    return client
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#opened.reverse()) await part.stop()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

async function online(client: Client): Promise<void> {
  await client.whenOnline(within)
  expect(client.isRegistered).toBe(true)
}

export const chatWith = (client: Client) => privateChatId(client.account)

export async function openByLink(person: Client, api: Api): Promise<void> {
  await person.openChat(parseInvite((await api.me()).invite_url), within)
}

/** The next message in a person's journal after a number of it. */
export async function nextMessage(person: Client, after: number): Promise<Message> {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const unsubscribe = person.journal.onAppend(resolve)
    for (const { json } of person.journal.read(after, 100)) {
      const update = JSON.parse(json) as Update
      if (update.type === 'message') return update.message
    }
    await promise
    unsubscribe()
  }
}
