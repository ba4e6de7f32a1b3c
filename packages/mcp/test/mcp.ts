// A gateway with tools for agents, alice who owns its bot, and agents that use the official client.
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, type Clock, privateChatId } from '@postern/protocol'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { type TestGateway, type TestPerson, WITHIN, type World } from '@postern/testkit'
import { test as inWorld } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

export const MCP_TOKEN = 'token-of-agents'
export const SOON = { interval: 5, timeout: 60_000 }

// oxlint-disable-next-line typescript/no-explicit-any -- tests read deep into results of tools
export type Result = Record<string, any>
export type CallResult = { structuredContent?: Result; content: { text: string }[]; isError?: boolean }

export type Revision = '2025-06-18' | '2026-07-28'

/** An agent whose calls are checked by the official client. */
export class Agent {
  readonly client: Client

  private constructor(client: Client) {
    this.client = client
  }

  static async connect(url: string, revision: Revision = '2026-07-28'): Promise<Agent> {
    const isModern = revision === '2026-07-28'
    const client = new Client(
      { name: 'test', version: '1' },
      isModern ? { versionNegotiation: { mode: { pin: revision } } } : {},
    )
    const requestInit = { headers: { authorization: `Bearer ${MCP_TOKEN}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
    return new Agent(client)
  }

  async call(name: string, args: object = {}, options: object = {}): Promise<CallResult> {
    return (await this.client.callTool({ name, arguments: { ...args } }, options)) as unknown as CallResult
  }

  /** A call that must succeed. */
  async ok(name: string, args: object = {}): Promise<Result> {
    const result = await this.call(name, args)
    expect([result.isError === true, result.content]).toEqual([false, result.content])
    // For clients that read no structured content.
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result.structuredContent)
    return result.structuredContent ?? {}
  }

  /** A call that must be refused; the sentence. */
  async refused(name: string, args: object = {}): Promise<string> {
    const result = await this.call(name, args)
    expect([result.isError, result.structuredContent]).toEqual([true, undefined])
    return result.content[0]?.text ?? ''
  }
}

type Env = Record<string, string>

export class AgentGateway {
  readonly #world: World
  readonly #env: Env
  readonly #clock: Clock | undefined
  readonly #agents: Agent[] = []
  #directory: string
  gateway: TestGateway

  private constructor(
    gateway: TestGateway,
    { world, env, clock }: { world: World; env: Env; clock?: Clock | undefined },
  ) {
    this.gateway = gateway
    this.#world = world
    this.#env = env
    this.#clock = clock
    this.#directory = join(world.directory, 'gateway')
  }

  static async start(world: World, env: Env, clock?: Clock): Promise<AgentGateway> {
    return new AgentGateway(await startMcp(world, { env, clock }), { world, env, clock })
  }

  async agent(revision?: Revision): Promise<Agent> {
    const agent = await Agent.connect(this.gateway.url, revision)
    this.#agents.push(agent)
    return agent
  }

  async closeAgents(): Promise<void> {
    for (const agent of this.#agents.splice(0)) await agent.client.close()
  }

  /** Ends its process and starts another with the same directory. */
  async restart(changed: Env = {}, meanwhile: () => unknown = () => undefined): Promise<void> {
    await this.closeAgents()
    await this.#world.closeGateway(this.gateway)
    await meanwhile()
    this.gateway = await startMcp(this.#world, {
      env: { ...this.#env, DATA_DIR: this.#directory, ...changed },
      clock: this.#clock,
    })
  }

  /** A copy of the current disk, without changes that were to be written soon. */
  diskNow(): string {
    const copy = join(this.#world.directory, `disk-${randomUUID()}`)
    cpSync(this.#directory, copy, { recursive: true })
    return copy
  }

  /** As if it had been killed with the disk in that state. */
  async kill(disk = this.diskNow()): Promise<void> {
    this.#directory = disk
    // The relay must not notice the stop.
    this.gateway.wire.cut()
    await this.restart()
  }

  /** The bot's chat, as people name it. */
  get toBot(): ChatId {
    return privateChatId(this.gateway.client.account)
  }

  /** A request with the agents' token, as no client of ours would send it. */
  async post(body: BodyInit | undefined, headers: Env = {}, method = 'POST'): Promise<Response> {
    return await fetch(`${this.gateway.url}/mcp`, {
      method,
      headers: {
        authorization: `Bearer ${MCP_TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
  }
}

async function startMcp(world: World, { env, clock }: { env: Env; clock?: Clock | undefined }): Promise<TestGateway> {
  const gateway = await world.gateway({ MCP: 'on', MCP_TOKEN, LANGUAGE: 'en', ...env }, clock ? { clock } : {})
  await gateway.client.whenOnline(WITHIN)
  return gateway
}

export async function comesToBot(person: TestPerson, gateway: TestGateway): Promise<void> {
  await person.openInvite((await gateway.api<{ invite_url: string }>('GET', '/v1/me')).body.invite_url)
  await expect.poll(() => gateway.client.chats.list().some(({ id }) => id === person.chatId), SOON).toBe(true)
}

/** A group of the bot and these people; agents cannot know its id before the gateway has it. */
export async function groupWith(gateway: TestGateway, people: TestPerson[]): Promise<ChatId> {
  const members = people.map(person => person.id)
  const { body } = await gateway.api<{ id: ChatId }>('POST', '/v1/groups', { name: 'ops', members })
  for (const person of people) await person.next('chat', event => event.chat_id === body.id)
  return body.id
}

/** The question as the person sees it. */
export const sees = async (person: TestPerson, start: string): Promise<Message> =>
  (await person.next('message', ({ message }) => message.text?.startsWith(start) === true)).message

export async function press(person: TestPerson, { chat_id, id, buttons }: Message, label: string): Promise<string> {
  const data = buttons?.flat().find(({ text }) => text === label)?.data ?? ''
  return await person.client.messages.press(chat_id, { message: id, data }, WITHIN)
}

/** The toast that the person reads about a press. */
export const toastOf = async (person: TestPerson, pressId: string): Promise<string> =>
  (await person.next('toast', ({ toast }) => toast.press_id === pressId)).toast.text

export async function reply(person: TestPerson, { chat_id, id }: Message, text: string): Promise<Message> {
  return await person.client.messages.sendText(chat_id, { text, replyTo: id }, WITHIN)
}

/** Until the message shows how the question ended. */
export async function seesEnd(person: TestPerson, { chat_id, id }: Message): Promise<Message> {
  const now = () => person.client.messages.get(chat_id, id)
  await expect.poll(() => now().edited_ts, SOON).toBeDefined()
  return now()
}

export const test = inWorld
  .extend('env', async ({ alice }): Promise<Env> => ({ MCP_CHATS: alice.id, BOT_OWNERS: alice.id }))
  .extend('timed', (): Clock | undefined => undefined)
  .extend('mcp', async ({ world, alice, env, timed }, { onCleanup }) => {
    const mcp = await AgentGateway.start(world, env, timed)
    onCleanup(() => mcp.closeAgents())
    await comesToBot(alice, mcp.gateway)
    return mcp
  })
  .extend('agent', ({ mcp }) => mcp.agent())
  /** A press of alice, whose screen learns of nothing from before `meanwhile` until the press has left. */
  .extend(
    'late',
    ({ alice }) =>
      async (question: Message, label: string, meanwhile: () => unknown): Promise<string> => {
        alice.wire.incoming = frame => (decodeRelayFrame(frame).kind === 'deliver' ? [] : [frame])
        await meanwhile()
        const id = await press(alice, question, label)
        alice.wire.incoming = frame => [frame]
        alice.wire.drop()
        return id
      },
  )
