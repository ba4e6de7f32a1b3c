// The gateway's API as an operator's program sees it.
import type { Bot, Update } from '@postern/bot-api'
import type { Log } from '@postern/core'
import type { Clock } from '@postern/protocol'
import { type TestGateway, WITHIN, type World } from '@postern/testkit'
import { expect } from 'vitest'

type CallOptions = { json?: unknown; headers?: Record<string, string>; body?: BodyInit; duplex?: 'half' }
type MessageUpdate = Extract<Update, { type: 'message' }>

/** How tests wait for asynchronous changes: short intervals, and patience on a busy machine. */
export const SOON = { interval: 5, timeout: 60_000 }

export class Api {
  readonly #gateway: TestGateway
  #offset = 0

  constructor(gateway: TestGateway) {
    this.#gateway = gateway
  }

  /** Any request; the answer's status and JSON. */
  async call<Answer = Record<string, unknown>>(method: string, path: string, options: CallOptions = {}) {
    const { json, headers, ...init } = options
    const response = await fetch(`${this.#gateway.url}${path}`, {
      method,
      ...init,
      headers: {
        authorization: `Bearer ${this.#gateway.token}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    return { status: response.status, body: (await response.json()) as Answer }
  }

  /** A request that must succeed; the answer's JSON. */
  async ok<Answer = Record<string, unknown>>(method: string, path: string, json?: object): Promise<Answer> {
    const { status, body } = await this.call<Answer>(method, path, json ? { json } : {})
    expect([status, body]).toEqual([200, body])
    return body
  }

  async get(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#gateway.token}`, ...(init.headers as Record<string, string>) }
    return await fetch(`${this.#gateway.url}${path}`, { ...init, headers })
  }

  async me(): Promise<Bot> {
    return (await this.#gateway.api<Bot>('GET', '/v1/me')).body
  }

  async send(chat: string, body: object) {
    return await this.#gateway.api<Record<string, unknown>>('POST', `/v1/chats/${chat}/messages`, body)
  }

  async updates(query = ''): Promise<Update[]> {
    const { status, body } = await this.#gateway.api<Update[]>('GET', `/v1/updates?${query}`)
    expect(status).toBe(200)
    return body
  }

  /** Polls until an update of this type comes, and confirms everything before it. */
  async next<Type extends Update['type']>(
    type: Type,
    isWanted: (update: Extract<Update, { type: Type }>) => boolean = () => true,
  ): Promise<Extract<Update, { type: Type }>> {
    for (;;) {
      const [first] = await this.updates(`offset=${this.#offset}&timeout=60&limit=1`)
      if (!first) throw new Error(`no update of the type ${type} came in time`)
      this.#offset = first.id + 1
      const found = first as Extract<Update, { type: Type }>
      if (first.type === type && isWanted(found)) return found
    }
  }

  /** As bots do it: polls from an offset until a message arrives. */
  async nextMessage(): Promise<MessageUpdate> {
    for (let offset = 0; ; ) {
      for (const update of await this.updates(`offset=${offset}&timeout=60`)) {
        if (update.type === 'message') return update
        offset = update.id + 1
      }
    }
  }
}

type GatewayOptions = { clock?: Clock; log?: Log }

/** A gateway whose bot is registered, with its API. */
export async function onlineGateway(world: World, env: Record<string, string> = {}, options: GatewayOptions = {}) {
  const gateway = await world.gateway(env, options)
  await gateway.client.whenOnline(WITHIN)
  return { gateway, api: new Api(gateway) }
}
