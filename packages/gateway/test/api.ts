// The gateway's API as an operator's program sees it.
import type { Clock } from '@postern/protocol'
import type { Bot, Update } from '@postern/protocol/bot-api'
import { type TestGateway, WITHIN, type World } from '@postern/testkit'
import { expect } from 'vitest'

type MessageUpdate = Extract<Update, { type: 'message' }>

export class Api {
  readonly #gateway: TestGateway

  constructor(gateway: TestGateway) {
    this.#gateway = gateway
  }

  async get(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#gateway.token}` }
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

  /** As bots do it: asks on from an offset until a message arrives. */
  async nextMessage(): Promise<MessageUpdate> {
    for (let offset = 0; ; ) {
      for (const update of await this.updates(`offset=${offset}&timeout=20`)) {
        if (update.type === 'message') return update
        offset = update.id + 1
      }
    }
  }
}

/** A gateway whose bot is registered, with its API. */
export async function onlineGateway(world: World, env: Record<string, string> = {}, options: { clock?: Clock } = {}) {
  const gateway = await world.gateway(env, options)
  await gateway.client.whenOnline(WITHIN)
  return { gateway, api: new Api(gateway) }
}
