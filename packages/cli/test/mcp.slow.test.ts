// `postern mcp` as a process, between the official client and a gateway.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type TestPerson, WITHIN, type World } from '@postern/testkit'
import { test as inWorld } from '@postern/testkit/fixtures'
import { describe, expect, onTestFinished } from 'vitest'
import { Postern } from './process.ts'

const TOKEN = 'token-of-agents'
const SOON = { interval: 5, timeout: 60_000 }

async function gatewayFor(world: World, alice: TestPerson) {
  const env = { MCP: 'on', MCP_TOKEN: TOKEN, MCP_CHATS: alice.id, BOT_OWNERS: alice.id, LANGUAGE: 'en' }
  const gateway = await world.gateway(env)
  await gateway.client.whenOnline(WITHIN)
  await alice.openInvite((await gateway.api<{ invite_url: string }>('GET', '/v1/me')).body.invite_url)
  await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(1)
  return gateway
}

const test = inWorld
  .extend('gateway', ({ world, alice }) => gatewayFor(world, alice))
  .extend(
    'bridge',
    ({ gateway }) =>
      (url = gateway.url, env: Record<string, string> = { MCP_TOKEN: TOKEN }) =>
        new Postern(['mcp', '--url', url], env),
  )

const rpc = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`

const next = async (lines: AsyncIterator<string>): Promise<Record<string, unknown>> =>
  JSON.parse((await lines.next()).value ?? '{}') as Record<string, unknown>

describe('[CLI-9.1] the official client', () => {
  test.for<[string, object]>([
    ['2025-06-18', {}],
    ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ])('asks a person in %s', async ([, options], { gateway, alice }) => {
    const launcher = join(import.meta.dirname, '../bin/postern.mjs')
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [launcher, 'mcp', '--url', gateway.url],
      env: { PATH: process.env['PATH'] ?? '', MCP_TOKEN: TOKEN },
    })
    const client = new Client({ name: 'test', version: '1' }, options)
    await client.connect(transport, { timeout: 60_000 })
    const asked = client.callTool({
      name: 'ask_human',
      arguments: { chat: alice.id, question: 'Go?\u2028Now?', options: ['Yes'] },
    })
    const { message } = await alice.next('message', event => event.message.text?.startsWith('Go?') === true)
    const data = message.buttons?.[0]?.[0]?.data ?? ''
    await alice.client.messages.press(message.chat_id, { message: message.id, data }, WITHIN)
    expect((await asked).structuredContent).toMatchObject({ status: 'answered', label: 'Yes' })
    await client.close()
  })
})

test('[CLI-9.1] an answer that comes in several lines is written as one', async ({ bridge }) => {
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { several: 'lines' } }, null, 2)
  const gateway = createServer(
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(answer),
  )
  onTestFinished(() => void gateway.close())
  await once(gateway.listen(0, '127.0.0.1'), 'listening')
  const { port } = gateway.address() as AddressInfo
  const process = bridge(`http://127.0.0.1:${port}`)
  process.write(rpc(1, 'ping'))
  expect(await next(process.lines)).toEqual(JSON.parse(answer))
})

test('[CLI-9.2] requests run at the same time, and one that is cancelled ends', async ({ bridge, alice }) => {
  const process = bridge()
  const { lines } = process
  const asked = { name: 'ask_human', arguments: { chat: alice.id, question: 'Go?', options: ['Yes'] } }
  process.write(rpc(1, 'tools/call', asked))
  const { message } = await alice.next('message', event => event.message.text === 'Go?')
  process.write(rpc(2, 'tools/call', { name: 'list_chats', arguments: {} }))
  expect(await next(lines)).toMatchObject({ id: 2, result: { structuredContent: { chats: [{ id: alice.id }] } } })
  process.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })}\n`)
  process.write(rpc(3, 'ping'))
  expect(await next(lines)).toMatchObject({ id: 3 })
  // The answer of the person ends a call that still waits.
  const data = message.buttons?.[0]?.[0]?.data ?? ''
  await alice.client.messages.press(message.chat_id, { message: message.id, data }, WITHIN)
  await alice.next('toast')
  process.write(rpc(4, 'tools/call', { name: 'list_chats', arguments: {} }))
  expect(await next(lines)).toMatchObject({ id: 4 })
  process.endInput()
  expect(await process.exited).toBe(0)
  expect(process.stdout).not.toContain('"id":1')
})

test('[CLI-9.3] a gateway that is away, or refuses the token, is an error, and the next request is tried', async ({
  world,
  gateway,
  bridge,
}) => {
  const wrong = bridge(gateway.url, { MCP_TOKEN: 'another' })
  wrong.write(rpc(1, 'ping'))
  expect(await next(wrong.lines)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('token is missing') },
  })
  expect(wrong.stderr).toMatch(/^postern mcp: The token is missing or wrong.*\n$/)
  wrong.endInput()
  expect(await wrong.exited).toBe(0)
  const process = bridge()
  const answers = process.lines
  process.write(rpc(1, 'ping'))
  expect(await next(answers)).toMatchObject({ id: 1, result: {} })
  await world.closeGateway(gateway)
  for (const id of [2, 3]) {
    process.write(rpc(id, 'ping'))
    expect(await next(answers)).toMatchObject({ id, error: { message: expect.stringContaining('cannot be reached') } })
  }
  process.signal('SIGTERM')
  expect(await process.exited).toBe(0)
})

test('[CLI-9.4] the token may be in a file, and is required', async ({ world, gateway, bridge }) => {
  const file = join(world.directory, 'token')
  writeFileSync(file, `${TOKEN}\n`)
  const process = bridge(gateway.url, { MCP_TOKEN_FILE: file })
  process.write(rpc(1, 'ping'))
  expect(await next(process.lines)).toMatchObject({ id: 1, result: {} })
  process.endInput()
  expect(await process.exited).toBe(0)
  const without = bridge(gateway.url, {})
  expect(await without.exited).toBe(1)
  expect([without.stdout, without.stderr]).toEqual(['', 'MCP_TOKEN: is required, as the gateway has it.\n'])
  const elsewhere = bridge('ftp://x')
  expect(await elsewhere.exited).toBe(2)
  expect(elsewhere.stderr).toContain('--url must be the address of a gateway')
})

test('[CLI-9.5] a broken line is an error, and the next one is read', async ({ bridge }) => {
  const process = bridge()
  const { lines } = process
  process.write('{\n')
  expect(await next(lines)).toMatchObject({ id: null, error: { code: -32_700 } })
  process.write(`"${'x'.repeat(5 * 1024 * 1024)}"\n`)
  expect(await next(lines)).toMatchObject({ id: null, error: { code: -32_700 } })
  process.write(`null\n\n${rpc(1, 'ping')}`)
  expect(await next(lines)).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(await next(lines)).toMatchObject({ id: 1, result: {} })
  process.endInput()
  expect(await process.exited).toBe(0)
})
