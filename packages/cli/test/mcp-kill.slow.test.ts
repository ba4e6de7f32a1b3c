// `kill -9` of the gateway and of `postern mcp` while an agent has a question open: it is asked once, and its answer is found.
import { setTimeout as wait } from 'node:timers/promises'
import type { Message } from '@postern/bot-api/objects'
import { privateChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as inWorld } from '@postern/testkit/fixtures'
import { freePort } from '@postern/testkit/free-port'
import { GatewayProcess } from '@postern/testkit/processes'
import { expect } from 'vitest'
import { Postern } from './process.ts'

const TOKEN = 'token-of-agents'
const SOON = { interval: 20, timeout: 60_000 }
/** From the moment of the call, and from the moment of the press. */
const KILLED_AFTER_MS = [0, 3, 10, 30]

type Result = { status?: string; ask_id?: string; label?: string }

const test = inWorld
  .extend('gateway', async ({ world, alice }, { onCleanup }) => {
    const place = { directory: `${world.directory}/gateway`, port: await freePort() }
    const gateway = new GatewayProcess(place, world.relayUrl)
    gateway.life = {
      env: { MCP: 'on', MCP_TOKEN: TOKEN, MCP_CHATS: alice.id, BOT_OWNERS: alice.id, LANGUAGE: 'en' },
    }
    onCleanup(() => gateway.end())
    await begin(gateway)
    return gateway
  })
  .extend('me', async ({ gateway, alice }) => {
    const me = await ask<{ id: string; invite_url: string }>(gateway, '/v1/me')
    await alice.openInvite(me.invite_url)
    await expect.poll(async () => (await ask<unknown[]>(gateway, '/v1/chats')).length, SOON).toBe(1)
    return me
  })

async function begin(gateway: GatewayProcess): Promise<void> {
  gateway.start()
  await gateway.listening()
  const isThere = () =>
    ask(gateway, '/v1/me').then(
      () => true,
      () => false,
    )
  await expect.poll(isThere, SOON).toBe(true)
}

async function ask<Answer>({ url, token }: GatewayProcess, path: string): Promise<Answer> {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return (await answer.json()) as Answer
}

const bridgeTo = ({ url }: GatewayProcess): Postern => new Postern(['mcp', '--url', url], { MCP_TOKEN: TOKEN })

const line = (name: string, given: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } })}\n`

/** The result of a tool for a new bridge. */
async function called(gateway: GatewayProcess, name: string, given: object): Promise<Result> {
  await using bridge = bridgeTo(gateway)
  bridge.write(line(name, given))
  const { value = '{}' } = (await bridge.lines.next()) as { value?: string }
  const { result } = JSON.parse(value) as { result?: { structuredContent?: Result } }
  return result?.structuredContent ?? {}
}

const shown = (
  person: TestPerson,
  { chat, text }: { chat: ReturnType<typeof privateChatId>; text: string },
): Message[] => person.client.messages.list(chat, { limit: 100 }).filter(message => message.text?.startsWith(text))

test('[CLI-9.6] killed with a question open, it is asked once, and the next bridge gets its answer', async ({
  gateway,
  me,
  alice,
}) => {
  const chat = privateChatId(me.id as Parameters<typeof privateChatId>[0])
  for (const [at, afterMs] of KILLED_AFTER_MS.entries()) {
    const text = `Deploy ${at}?`
    const question = { chat: alice.id, question: text, options: ['Yes', 'No'], key: `deploy-${at}` }
    const bridge = bridgeTo(gateway)
    bridge.write(line('ask_human', question))
    // The first ones may die before the question, and later ones with a call that waits for its answer.
    if (at > 1) await expect.poll(() => shown(alice, { chat, text }).length, SOON).toBe(1)
    await wait(afterMs)
    await gateway.kill()
    bridge.signal('SIGKILL')
    await bridge.exited
    await begin(gateway)
    const { status, ask_id: id } = await called(gateway, 'ask_human', { ...question, wait_seconds: 0 })
    expect([text, status]).toEqual([text, 'pending'])
    await expect.poll(() => shown(alice, { chat, text })[0]?.buttons, SOON).toBeDefined()
    const [message] = shown(alice, { chat, text })
    const data = message?.buttons?.[0]?.[0]?.data ?? ''
    if (!message) throw new Error('there is no question')
    await alice.client.messages.press(chat, { message: message.id, data }, WITHIN)
    await wait(afterMs)
    await gateway.kill()
    await begin(gateway)
    const answer = await called(gateway, 'wait_answer', { ask_id: id })
    expect([text, answer]).toEqual([text, expect.objectContaining({ status: 'answered', label: 'Yes' })])
    await expect.poll(() => shown(alice, { chat, text })[0]?.buttons, SOON).toBeUndefined()
    expect(shown(alice, { chat, text })).toHaveLength(1)
  }
})
