// A gateway whose disk is full at the beginning or in the middle of each thing that it can write for a caller.
import { join } from 'node:path'
import type { ApiToken, Bot, CreatedHook } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, privateChatId } from '@postern/protocol'
import type { TestPerson, WorldOptions } from '@postern/testkit'
import { test as inWorld } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { Postern } from './process.ts'
import { canMount, type DiskKind, SmallDisk } from './small-disk.ts'

const BOT_TOKEN = 'token-of-the-operator'
const MCP_TOKEN = 'token-of-agents'
const SOON = { interval: 20, timeout: 60_000 }

/** `sentence`: what a caller reads about a refusal. */
type Answer = { isDone: boolean; status: number; sentence: string; value: unknown }

type Asked = { headers?: Record<string, string>; json?: object; body?: FormData }

class FullableGateway {
  readonly alice: TestPerson
  readonly #disk: SmallDisk
  readonly #env: Record<string, string>
  #process: Postern
  #bot: Bot | undefined
  #shownBefore = 0
  url = ''
  hook: CreatedHook | undefined

  constructor(alice: TestPerson, disk: SmallDisk, env: Record<string, string>) {
    this.alice = alice
    this.#disk = disk
    this.#env = env
    this.#process = this.#run()
  }

  #run(): Postern {
    return new Postern(['gateway'], this.#env, { wrapper: this.#disk.wrapper })
  }

  async online(): Promise<this> {
    await this.#process.says(/"url":"[^"]+"/)
    this.url = /"url":"([^"]+)"/.exec(this.#process.stdout)?.[1] ?? ''
    await expect.poll(async () => (await fetch(`${this.url}/readyz`)).status, SOON).toBe(200)
    this.#bot = (await this.ask('GET', '/v1/me')).value as Bot
    return this
  }

  get bot(): Bot {
    return this.#bot ?? expect.fail('it is not online yet')
  }

  get chat(): ChatId {
    return privateChatId(this.bot.id)
  }

  fill(): Disposable {
    return this.#disk.fill(this.#process.pid)
  }

  kill(): void {
    this.#process.signal('SIGKILL')
  }

  async startAgain(): Promise<void> {
    this.kill()
    await this.#process.exited
    this.#process = this.#run()
    await this.online()
  }

  async ask(method: string, path: string, { headers, json, body }: Asked = {}): Promise<Answer> {
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${BOT_TOKEN}`,
        ...(json && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json && { body: JSON.stringify(json) }),
      ...(body && { body }),
    })
    const value = (await answer.json()) as { error?: string; description?: string }
    return { isDone: answer.ok, status: answer.status, sentence: value.error ?? value.description ?? '', value }
  }

  async createHook(): Promise<void> {
    const json = { chat_id: this.alice.id, format: 'alerts', options: { living: true } }
    this.hook = (await this.ask('POST', '/v1/hooks', { json })).value as CreatedHook
  }

  /** The messages of the bot that alice has received since `showFromHere`. */
  get shown(): Message[] {
    return this.#allShown.slice(this.#shownBefore)
  }

  showFromHere(): void {
    this.#shownBefore = this.#allShown.length
  }

  get #allShown(): Message[] {
    return this.alice.client.messages.list(this.chat, { limit: 100 }).filter(({ from }) => from.id === this.bot.id)
  }
}

const ALBUM = ['first', 'second', 'third']

function albumForm(): FormData {
  const form = new FormData()
  for (const name of ALBUM) form.append('file', new Blob([name.repeat(40_000)]), `${name}.txt`)
  return form
}

const firing = {
  version: '4',
  status: 'firing',
  groupKey: '{}:{alertname="DiskFull"}',
  groupLabels: { alertname: 'DiskFull' },
  alerts: [{ status: 'firing', labels: { alertname: 'DiskFull' }, startsAt: '2026-01-01T00:00:00Z' }],
}

async function callTool(gateway: FullableGateway, name: string, args: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${MCP_TOKEN}`, accept: 'application/json, text/event-stream' }
  const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const answer = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  })
  const [, data = ''] = /^data: (.*)$/m.exec(await answer.text()) ?? []
  const { result } = JSON.parse(data) as {
    result: { isError?: boolean; structuredContent?: { status: string }; content: { text: string }[] }
  }
  const isDone = result.isError !== true
  return { isDone, status: answer.status, sentence: result.content[0]?.text ?? '', value: result.structuredContent }
}

const telegram = (gateway: FullableGateway, method: string, json: object, key?: string): Promise<Answer> =>
  gateway.ask('POST', `/bot${BOT_TOKEN}/${method}`, { json, ...(key && { headers: { 'idempotency-key': key } }) })

/** Something that a caller asks for, and asks for again in the same words. */
type Work = {
  what: string
  /** The status of the refusal while the disk is full. */
  status: number
  prepare?: (gateway: FullableGateway) => Promise<unknown>
  ask: (gateway: FullableGateway, key: string) => Promise<Answer>
  /** Names what there is of it: nothing, or what one request makes. */
  found?: (gateway: FullableGateway) => Promise<unknown[]> | unknown[]
  whole: unknown[]
  /** Asked again, it is another one. */
  isNewEachTime?: boolean
  /** The relay has no part in it. */
  isLocal?: boolean
}

const textsShown = (gateway: FullableGateway) => gateway.shown.map(({ text = '' }) => text.split('\n')[0])

const postAlert = (gateway: FullableGateway) =>
  gateway.ask('POST', new URL(gateway.hook?.url ?? '').pathname, { json: firing })

const WORKS: readonly Work[] = [
  {
    what: 'an album',
    status: 503,
    ask: (gateway, key) =>
      gateway.ask('POST', `/v1/chats/${gateway.alice.id}/albums`, {
        headers: { 'idempotency-key': key },
        body: albumForm(),
      }),
    found: ({ shown }) => shown.map(({ file, album }) => [file?.name, album === shown[0]?.album]),
    whole: ALBUM.map(name => [`${name}.txt`, true]),
  },
  {
    what: 'a scoped token',
    status: 503,
    ask: gateway => gateway.ask('POST', '/v1/tokens', { json: { name: 'full', scopes: ['read'] } }),
    found: async gateway => ((await gateway.ask('GET', '/v1/tokens')).value as ApiToken[]).map(({ name }) => name),
    whole: ['full'],
    isNewEachTime: true,
    isLocal: true,
  },
  {
    what: 'a question of an agent',
    status: 200,
    ask: async (gateway, key) => {
      const asked = { chat: gateway.alice.id, question: 'Go?', options: ['Yes'], wait_seconds: 0, key }
      const answer = await callTool(gateway, 'ask_human', asked)
      const isSent = answer.isDone && !answer.sentence.includes('not reached the chat')
      return { ...answer, isDone: isSent }
    },
    found: textsShown,
    whole: ['Go?'],
  },
  {
    what: 'a living alert',
    // The format of the specification: senders of alerts retry after a 502.
    status: 502,
    prepare: async gateway => await gateway.createHook(),
    ask: postAlert,
    found: textsShown,
    whole: ['🔥 DiskFull: 1'],
  },
  {
    what: 'a message of the Telegram Bot API, with its number',
    status: 502,
    ask: (gateway, key) => telegram(gateway, 'sendMessage', { chat_id: gateway.alice.id, text: 'numbered' }, key),
    found: textsShown,
    whole: ['numbered'],
  },
  {
    what: 'the number of a message that a bot for Telegram polls',
    status: 502,
    prepare: async gateway => {
      await gateway.alice.say(gateway.chat, 'to be numbered')
      const path = `/v1/chats/${gateway.alice.id}/messages`
      await expect
        .poll(async () => JSON.stringify((await gateway.ask('GET', path)).value), SOON)
        .toContain('to be numbered')
    },
    ask: gateway => telegram(gateway, 'getUpdates', { offset: 0 }),
    whole: [],
    isLocal: true,
  },
]

/** A message has the same id when its receipts have changed. */
const idsIn = (answer: Answer | undefined): string[] =>
  JSON.stringify(answer?.value).match(/"(id|ask_id|message_id|update_id)":("[^"]+"|\d+)/g) ?? []

const found = async (gateway: FullableGateway, work: Work) => (await work.found?.(gateway)) ?? []

const test = inWorld
  /** `onAppend` is called when the relay is about to store a message of an account. */
  .extend('moment', (): { onAppend: ((sender: string) => void) | undefined } => ({ onAppend: undefined }))
  .extend(
    'worldOptions',
    ({ moment }): WorldOptions => ({
      relayAsked: (method, [append]) => {
        if (method !== 'append') return
        const { sender, attention } = append as { sender: string; attention?: unknown }
        // Not a receipt.
        if (attention) moment.onAppend?.(sender)
      },
    }),
  )
  .extend('open', ({ world, alice }) => async (kind: DiskKind): Promise<FullableGateway> => {
    const disk = new SmallDisk(kind, join(world.directory, 'full'))
    const gateway = await new FullableGateway(alice, disk, {
      BOT_TOKEN,
      BOT_NAME: 'bot',
      BOT_OWNERS: alice.id,
      RELAY_URL: world.relayUrl,
      LISTEN: '127.0.0.1:0',
      DATA_DIR: disk.directory,
      HOOKS_URL: 'https://hooks.example.org',
      LANGUAGE: 'en',
      MCP: 'on',
      MCP_TOKEN,
      MCP_CHATS: alice.id,
      TELEGRAM_API: 'on',
    }).online()
    await alice.openInvite(gateway.bot.invite_url)
    await expect.poll(async () => ((await gateway.ask('GET', '/v1/chats')).value as unknown[]).length, SOON).toBe(1)
    return gateway
  })

const kinds: { kind: DiskKind; isHere: boolean }[] = [
  { kind: 'a file system without room', isHere: canMount() },
  // Works everywhere: a disk is still tested where nothing can be mounted.
  { kind: 'files that cannot grow', isHere: true },
]

describe.each(kinds)('$kind', ({ kind, isHere }) => {
  test.skipIf(!isHere)(
    '[GATEWAY-4.48] refuses with its reason what was begun, leaves nothing of it, and does it once when there is space',
    async ({ open }) => {
      const gateway = await open(kind)
      for (const work of WORKS) {
        const { what, status, whole } = work
        await work.prepare?.(gateway)
        gateway.showFromHere()
        {
          using _full = gateway.fill()
          const refused = await work.ask(gateway, what)
          const reason: unknown = expect.stringMatching(/disk/)
          expect([what, refused.isDone, refused.status, refused.sentence]).toEqual([what, false, status, reason])
          expect([what, ...(await found(gateway, work))]).toEqual([what])
        }
        const done: { answer?: Answer } = {}
        const again = async () => (done.answer = await work.ask(gateway, what)).isDone
        await expect.poll(again, SOON).toBe(true)
        await expect.poll(() => found(gateway, work), SOON).toEqual(whole)
        if (work.isNewEachTime) continue
        expect(idsIn(await work.ask(gateway, what))).toEqual(idsIn(done.answer))
        // Behind anything that a second try would have sent.
        await gateway.ask('POST', `/v1/chats/${gateway.alice.id}/messages`, { json: { text: what } })
        await gateway.alice.hears(what)
        expect([what, (await found(gateway, work)).length]).toEqual([what, whole.length + (work.isLocal ? 0 : 1)])
      }
      const names = async () => ((await gateway.ask('GET', '/v1/tokens')).value as ApiToken[]).map(({ name }) => name)
      expect(await names()).toEqual(['full'])
    },
  )

  test.skipIf(!isHere)(
    '[GATEWAY-4.48] that comes when the relay is about to store a message loses and doubles none',
    async ({ open, moment }) => {
      const gateway = await open(kind)
      for (const work of WORKS.filter(({ isLocal }) => !isLocal)) {
        const { what, whole } = work
        await work.prepare?.(gateway)
        gateway.showFromHere()
        let full: Disposable | undefined
        moment.onAppend = sender => void (sender === gateway.bot.id && (full ??= gateway.fill()))
        const first = await work.ask(gateway, what)
        moment.onAppend = undefined
        expect([what, full]).toEqual([what, expect.anything()])
        if (!first.isDone) expect([what, first.sentence]).toEqual([what, expect.stringMatching(/disk|not reached/)])
        full?.[Symbol.dispose]()
        await expect.poll(async () => (await work.ask(gateway, what)).isDone, SOON).toBe(true)
        await expect.poll(() => found(gateway, work), SOON).toEqual(whole)
        await gateway.ask('POST', `/v1/chats/${gateway.alice.id}/messages`, { json: { text: what } })
        await gateway.alice.hears(what)
        expect([what, (await found(gateway, work)).length]).toEqual([what, whole.length + 1])
      }
    },
  )
})

test('[GATEWAY-14.13] a living message that was refused on a full disk and is sent later is one message, also after a kill', async ({
  open,
  moment,
}) => {
  const gateway = await open('files that cannot grow')
  await gateway.createHook()
  gateway.showFromHere()
  {
    using _full = gateway.fill()
    expect((await postAlert(gateway)).isDone).toBe(false)
  }
  // The gateway sends it on its own, and is killed before it can note that.
  const killed = new Promise<void>(resolve => {
    moment.onAppend = sender => {
      if (sender !== gateway.bot.id) return
      gateway.kill()
      moment.onAppend = undefined
      resolve()
    }
  })
  await killed
  await expect.poll(() => textsShown(gateway), SOON).toEqual(['🔥 DiskFull: 1'])
  await gateway.startAgain()
  await expect.poll(async () => (await postAlert(gateway)).isDone, SOON).toBe(true)
  await gateway.ask('POST', `/v1/chats/${gateway.alice.id}/messages`, { json: { text: 'later' } })
  await gateway.alice.hears('later')
  expect(textsShown(gateway)).toEqual(['🔥 DiskFull: 1', 'later'])
})
