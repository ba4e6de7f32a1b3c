// Requests to /mcp: both revisions of the protocol, the token, browsers, broken bodies and waits.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { passWhenAwaited } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { Agent, test as base, comesToBot, MCP_TOKEN, press, type Revision, SOON, sees } from './mcp.ts'

const test = base.extend('timed', ({ clock }) => clock)

const toolNames = ['list_chats', 'read_updates', 'read_messages', 'ask_human', 'wait_answer', 'cancel_ask']

const request = (method: string, params: object = {}, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

describe('[MCP-1.1] the official client', () => {
  base.for<[Revision]>([['2025-06-18'], ['2026-07-28']])('asks a person in %s', async ([revision], { mcp, alice }) => {
    const agent = await mcp.agent(revision)
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(toolNames)
    const asked = agent.ok('ask_human', { chat: alice.id, question: 'Go?', options: ['Yes', 'No'] })
    await press(alice, await sees(alice, 'Go?'), 'No')
    expect(await asked).toMatchObject({ status: 'answered', choice: 1, label: 'No' })
  })

  base('negotiates each of them by what it sends', async ({ mcp }) => {
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const old = await (await mcp.post(request('initialize', hello))).text()
    expect(old).toContain('"protocolVersion":"2025-06-18"')
    const client = new Client({ name: 'x', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const requestInit = { headers: { authorization: `Bearer ${MCP_TOKEN}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${mcp.gateway.url}/mcp`), { requestInit }))
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect(client.getInstructions()).toContain('"untrusted": true')
    await client.close()
  })
})

base('[MCP-1.2] without MCP=on there is nothing at the address', async ({ world }) => {
  const gateway = await world.gateway({ MCP_TOKEN, MCP_CHATS: '' })
  const headers = { authorization: `Bearer ${MCP_TOKEN}`, 'content-type': 'application/json' }
  expect((await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: request('ping') })).status).toBe(404)
})

describe('[MCP-1.3] refused', () => {
  const body = request('tools/list')

  base('without the token of agents, whatever the body', async ({ mcp }) => {
    for (const authorization of ['', 'Bearer wrong', `Bearer ${mcp.gateway.token}`, MCP_TOKEN]) {
      const response = await mcp.post('['.repeat(100_000), { authorization })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(await response.text()).not.toContain(MCP_TOKEN)
    }
    const elsewhere = await fetch(`${mcp.gateway.url}/v1/me`, { headers: { authorization: `Bearer ${MCP_TOKEN}` } })
    expect(elsewhere.status).toBe(401)
  })

  base('with an Origin, as from a page whose name was rebound to this address', async ({ mcp }) => {
    for (const origin of ['http://evil.example', mcp.gateway.url, 'null']) {
      const host = new URL(mcp.gateway.url).host
      for (const authorization of [`Bearer ${MCP_TOKEN}`, 'Bearer wrong']) {
        const response = await mcp.post(body, { origin, host, authorization })
        expect(response.status).toBe(403)
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
      }
    }
    expect((await mcp.post(body)).status).toBe(200)
  })
})

describe('[MCP-1.4] a broken body', () => {
  base.for<[string, string, number]>([
    ['no JSON', '{', 400],
    ['half a sign', '"\\ud800', 400],
    ['nothing', '', 400],
    ['no request', '{}', 400],
    ['a number', '1', 400],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400],
    [
      'deep nesting',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      400,
    ],
    ['three megabytes', `"${'x'.repeat(3 * 1024 * 1024)}"`, 400],
  ])('of %s is refused', async ([, broken, status], { mcp }) => {
    const response = await mcp.post(broken)
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining('error')])
    expect((await mcp.post(request('ping'))).status).toBe(200)
  })

  base('of another type is refused', async ({ mcp }) => {
    const response = await mcp.post('x=1', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(response.status).toBe(400)
  })

  base('an unknown method, tool or argument is an error that names it', async ({ mcp, agent, alice }) => {
    expect(await (await mcp.post(request('tools/fly'))).text()).toContain('"code":-32601')
    await expect(agent.call('fly')).rejects.toThrow('fly')
    const wrong = [
      { chat: alice.id },
      { chat: alice.id, question: '' },
      { chat: alice.id, question: ' ' },
      { chat: alice.id, question: 'x'.repeat(3501) },
      { chat: alice.id, question: '?', option: ['Yes'] },
      { chat: alice.id, question: '?', options: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
      { chat: alice.id, question: '?', options: ['two\nlines'] },
      { chat: alice.id, question: '?', options: ['\u202eevil'] },
      { chat: alice.id, question: '?', wait_seconds: 46 },
      { chat: alice.id, question: '?', expires_minutes: 0 },
      { chat: alice.id, question: '?', from: [] },
      { chat: alice.id, question: '?', key: '' },
      { chat: 7, question: '?' },
    ]
    const fields = ['question', 'question', 'question', 'question', 'option', 'options', 'options.0', 'options.0']
    for (const [at, args] of wrong.entries())
      expect(await agent.refused('ask_human', args)).toContain(
        [...fields, 'wait_seconds', 'expires_minutes', 'from', 'key', 'chat'][at],
      )
    expect(alice.texts(mcp.toBot)).not.toContain('?')
  })
})

base('[MCP-1.1] there are no sessions to read or to delete', async ({ mcp }) => {
  for (const method of ['GET', 'DELETE']) expect((await mcp.post(undefined, {}, method)).status).toBe(405)
})

describe('[MCP-1.5] a call', () => {
  test.for<[Revision]>([['2025-06-18'], ['2026-07-28']])(
    'returns after 45 seconds at the latest, and reports progress every 10, in %s',
    async ([revision], { mcp, alice, clock }) => {
      const agent = await mcp.agent(revision)
      const progress: number[] = []
      const beganMs = clock.monotonicMs()
      const asked = agent.call(
        'ask_human',
        { chat: alice.id, question: 'Go?', options: ['Yes'] },
        { onprogress: (report: { progress: number }) => void progress.push(report.progress), timeout: 60_000 },
      )
      await sees(alice, 'Go?')
      for (let at = 1; at <= 4; at++) {
        await expect.poll(() => clock.isAwaited(10_000), SOON).toBe(true)
        clock.advance(10_000)
        await expect.poll(() => progress.length, SOON).toBe(at)
      }
      const result = await passWhenAwaited(clock, 5_000, asked)
      expect(result.structuredContent).toMatchObject({ status: 'pending', ask_id: expect.any(String) })
      expect(clock.monotonicMs() - beganMs).toBe(45_000)
      expect(progress).toEqual([1, 2, 3, 4])
    },
  )

  base('that waits at the stop of the gateway is answered with what is known', async ({ mcp, agent, alice, world }) => {
    const asked = agent.ok('ask_human', { chat: alice.id, question: 'Go?', options: ['Yes'] })
    await sees(alice, 'Go?')
    await world.closeGateway(mcp.gateway)
    expect(await asked).toMatchObject({ status: 'pending' })
  })
})

test('[MCP-1.6] neither texts nor the token are in the log or in the metrics', async ({ world, alice, clock }) => {
  const lines: string[] = []
  const note = (fields: object, text: string) => void lines.push(JSON.stringify(fields) + text)
  const log = { debug: note, info: note, warn: note, error: note }
  const env = { MCP: 'on', MCP_TOKEN, MCP_CHATS: alice.id, BOT_OWNERS: alice.id, MCP_WRITE: 'all' }
  const gateway = await world.gateway(env, { log, clock })
  await gateway.client.whenOnline({ timeoutMs: 60_000 })
  await comesToBot(alice, gateway)
  const agent = await Agent.connect(gateway.url)
  const { ask_id } = await agent.ok('ask_human', {
    chat: alice.id,
    question: 'zaphod?',
    options: ['trillian'],
    wait_seconds: 0,
    key: 'ford',
  })
  await press(alice, await sees(alice, 'zaphod?'), 'trillian')
  await agent.ok('wait_answer', { ask_id })
  await agent.ok('send_message', { chat: alice.id, text: 'marvin' })
  await agent.refused('send_message', { chat: 'arthur', text: 'marvin' })
  await agent.client.close()
  const metrics = await (
    await fetch(`${gateway.url}/v1/metrics`, { headers: { authorization: `Bearer ${gateway.token}` } })
  ).text()
  const told = lines.join('\n') + metrics
  for (const secret of ['zaphod', 'trillian', 'marvin', 'ford', 'arthur', MCP_TOKEN]) expect(told).not.toContain(secret)
  expect(lines).toContainEqual(expect.stringContaining(`{"tool":"ask_human","chat":"${alice.id}","ask":"${ask_id}"}`))
  expect(metrics).toContain('postern_mcp_calls_total{outcome="done"} 3')
  expect(metrics).toContain('postern_mcp_calls_total{outcome="refused"} 1')
  expect(metrics).toContain('postern_mcp_asks_total{event="answered"} 1')
  expect(metrics).toContain('postern_mcp_asks_open 0')
})
