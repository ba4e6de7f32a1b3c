// A gateway with the Telegram Bot API, alice who talks to its bot, and calls as a library sends them.
import { type ChatId, privateChatId } from '@postern/protocol'
import { type ManualClock, type TestGateway, type TestPerson, WITHIN, type World } from '@postern/testkit'
import { test as inWorld } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import type { MessageNumbers } from '../src/ids/message-numbers.ts'

export const TOKEN = 'test-token'

export type Answer<Result = Record<string, unknown>> = {
  ok: boolean
  result: Result
  error_code?: number
  description?: string
}
// oxlint-disable-next-line typescript/no-explicit-any -- the tests read deep into answers of another API
export type Shown = Record<string, any>

export class Telegram {
  readonly gateway: TestGateway
  #offset = 0

  constructor(gateway: TestGateway) {
    this.gateway = gateway
  }

  get root(): string {
    return this.gateway.url
  }

  get toBot(): ChatId {
    return privateChatId(this.gateway.client.account)
  }

  async fetch(path: string, init: RequestInit = {}): Promise<{ status: number; body: Answer<Shown> }> {
    const response = await fetch(`${this.root}/bot${TOKEN}/${path}`, init)
    return { status: response.status, body: (await response.json()) as Answer<Shown> }
  }

  async call(method: string, parameters: object = {}, headers: Record<string, string> = {}) {
    return await this.fetch(method, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(parameters),
    })
  }

  /** A call that must succeed. */
  async ok(method: string, parameters: object = {}, headers: Record<string, string> = {}): Promise<Shown> {
    const { status, body } = await this.call(method, parameters, headers)
    expect([status, body]).toMatchObject([200, { ok: true }])
    return body.result
  }

  /** The next update with this field, and confirms everything before it. */
  async next(name: string, allowed?: string[]): Promise<Shown> {
    for (;;) {
      const updates = await this.ok('getUpdates', {
        offset: this.#offset,
        timeout: 50,
        limit: 1,
        ...(allowed && { allowed_updates: allowed }),
      })
      const [update] = updates as Shown[]
      if (!update) throw new Error(`no ${name} came in time`)
      this.#offset = update['update_id'] + 1
      if (update[name]) return update[name]
    }
  }
}

export async function telegramOf(world: World, alice: TestPerson, clock?: ManualClock): Promise<Telegram> {
  const telegram = await openTelegram(world, clock)
  await alice.openInvite((await telegram.gateway.api<{ invite_url: string }>('GET', '/v1/me')).body.invite_url)
  return telegram
}

/** The same bot again, if its gateway was closed. */
export async function openTelegram(world: World, clock?: ManualClock): Promise<Telegram> {
  const gateway = await world.gateway({ TELEGRAM_API: 'on', BOT_TOKEN: TOKEN }, { ...(clock && { clock }) })
  await gateway.client.whenOnline(WITHIN)
  return new Telegram(gateway)
}

export async function chatWith(telegram: Telegram, alice: TestPerson): Promise<number> {
  await alice.say(telegram.toBot, 'hello')
  const message = await telegram.next('message')
  return message['chat'].id as number
}

/** `chat`: the number of alice's chat, in which she has written once. */
export const test = inWorld
  .extend('telegram', ({ world, alice }) => telegramOf(world, alice))
  /** Stops a bot before its gateway. */
  .extend('atEnd', ({ telegram }, { onCleanup }) => {
    const stops: (() => Promise<unknown>)[] = []
    onCleanup(async () => {
      for (const stop of stops) await stop()
    })
    return (stop: () => Promise<unknown>) => {
      expect(telegram.root).toMatch(/^http/)
      stops.push(stop)
    }
  })
  .extend('chat', ({ telegram, alice }) => chatWith(telegram, alice))

/** The number of a message or an event, which it gets if it has none. */
export async function numberIn(numbers: MessageNumbers, chat: ChatId, id: string): Promise<number> {
  await numbers.assign([{ chat, id }])
  return numbers.find({ chat, id }) ?? Number.NaN
}

export const refused = (description: string | RegExp, status = 400) => ({
  status,
  body: {
    ok: false,
    error_code: status,
    description: typeof description === 'string' ? description : expect.stringMatching(description),
  },
})
