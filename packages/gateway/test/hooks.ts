// A gateway with hooks, and senders that post to them.
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedHook, HookFormat } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, type Clock, privateChatId } from '@postern/protocol'
import { type ManualClock, passTime, type TestGateway, type TestPerson, type World } from '@postern/testkit'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'

const formatNames = [
  'alerts',
  'pipeline',
  'text',
  'slack',
  'grafana',
  'uptime_kuma',
  'github',
  'gitlab',
  'sentry',
  'auto',
]

/** Every format, as people and callers see it; a template is only for callers. Add a new one here. */
export const allFormats = {
  inChat: `${formatNames
    .slice(0, -1)
    .map(name => `/hook ${name}`)
    .join(', ')} или /hook ${formatNames.at(-1)}`,
  inApi: `${formatNames.join(', ')} or template`,
  inCommand: 'alerts | pipeline | text | …',
}

export const HOOKS_URL = 'https://hooks.example.org'

export type Posted = { status: number; body: Record<string, unknown>; headers: Headers }

export const secretOf = ({ url }: { url: string }): string => url.split('/').at(-1) ?? ''

type PostInit = {
  json?: unknown
  body?: BodyInit
  headers?: Record<string, string>
  signal?: AbortSignal
  query?: string
}

/** A post as a sender makes it; never follows a redirect. */
export async function post(gateway: { url: string }, hook: { url: string }, init: PostInit = {}): Promise<Posted> {
  const { json, headers, query = '', ...rest } = init
  const response = await fetch(`${gateway.url}/hooks/${secretOf(hook)}${query}`, {
    method: 'POST',
    redirect: 'manual',
    ...rest,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  }
}

/** A dry run. */
export const dry = (gateway: { url: string }, hook: { url: string }, init: PostInit): Promise<Posted> =>
  post(gateway, hook, { ...init, query: '?dry_run=1' })

export const say = (gateway: { url: string }, hook: { url: string }, text: string): Promise<Posted> =>
  post(gateway, hook, { body: text, headers: { 'content-type': 'text/plain' } })

type HookedOptions = { env?: Record<string, string>; clock?: Clock }

/** A gateway with hooks. After a restart `gateway` and `api` are those of the one that runs. */
export class HookedGateway {
  readonly #world: World
  readonly #options: HookedOptions
  #directory: string
  gateway: TestGateway
  api: Api

  private constructor(
    { gateway, api }: { gateway: TestGateway; api: Api },
    { world, options }: { world: World; options: HookedOptions },
  ) {
    this.gateway = gateway
    this.api = api
    this.#world = world
    this.#options = options
    this.#directory = join(world.directory, 'gateway')
  }

  static async start(world: World, options: HookedOptions): Promise<HookedGateway> {
    return new HookedGateway(await start(world, options), { world, options })
  }

  /** Ends its process and starts another on the same directory, with the same clock and settings unless others are given. */
  async restart({ env: changed, ...options }: HookedOptions = {}): Promise<void> {
    await this.#world.closeGateway(this.gateway)
    const env = { ...this.#options.env, DATA_DIR: this.#directory, ...changed }
    const { gateway, api } = await start(this.#world, { ...this.#options, ...options, env })
    this.gateway = gateway
    this.api = api
  }

  /** A copy of the current disk, without changes that were to be written soon. */
  diskNow(): string {
    const copy = join(this.#world.directory, `disk-${randomUUID()}`)
    cpSync(this.#directory, copy, { recursive: true })
    return copy
  }

  /** As if it had been killed with the disk in that state. */
  async restartFrom(disk: string): Promise<void> {
    this.#directory = disk
    // The relay must not notice the stop.
    this.gateway.wire.cut()
    await this.restart()
  }

  /** The private chat with the bot, as people name it. */
  get chatId(): ChatId {
    return privateChatId(this.gateway.client.account)
  }
}

const start = (world: World, { env = {}, clock }: HookedOptions) =>
  onlineGateway(world, { HOOKS_URL, ...env }, clock ? { clock } : {})

/** A gateway with hooks and alice, who came by the bot's link. */
export async function hookedGateway(
  world: World,
  alice: TestPerson,
  options: HookedOptions = {},
): Promise<HookedGateway> {
  const hooked = await HookedGateway.start(world, options)
  await alice.openInvite((await hooked.api.me()).invite_url)
  await expect.poll(() => hooked.gateway.client.chats.list().length, SOON).toBeGreaterThan(0)
  return hooked
}

/** Time passes until the gateway is connected again. */
export const backOnline = (clock: ManualClock, { client }: TestGateway): Promise<void> =>
  passTime(clock, client.whenOnline({ timeoutMs: 3_600_000 }))

export const newHook = (api: Api, chat: string, format: HookFormat): Promise<CreatedHook> =>
  api.ok<CreatedHook>('POST', '/v1/hooks', { chat_id: chat, format })

/** The next message of the bot that begins like this. */
export async function hearsFrom(person: TestPerson, start: string): Promise<Message> {
  return (await person.next('message', ({ message }) => message.text?.startsWith(start) === true)).message
}

/** The bot's answer to a person's message. */
export async function answer(person: TestPerson, chat: ChatId, text: string): Promise<string> {
  await person.say(chat, text)
  return (await person.next('message', event => event.chat_id === chat)).message.text ?? ''
}
