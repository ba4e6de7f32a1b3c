// Questions outlast clients, restarts, kills, relays and clocks.
import type { Records } from '@postern/core'
import { CodedError, mcpLimits } from '@postern/protocol'
import { decodeClientFrame } from '@postern/protocol/relay'
import { passTime } from '@postern/testkit'
import { describe, expect, vi } from 'vitest'
import { MCP_SHELF } from '../src/stored-names.ts'
import { type AgentGateway, test as base, press, reply, SOON, sees, seesEnd, toastOf } from './mcp.ts'

/** Whether the frame brings a message to the relay. */
function isAppend(frame: Uint8Array): boolean {
  const decoded = decodeClientFrame(frame)
  return decoded.kind === 'call' && decoded.name.startsWith('append')
}

const question = { question: 'Go?', options: ['Yes', 'No'] }
const timed = base.extend('timed', ({ clock }) => clock)
const DAY_MS = 86_400_000

const backOnline = (mcp: AgentGateway) => mcp.gateway.client.whenOnline({ timeoutMs: 3_600_000 })

describe('[MCP-3.4] a client that gives up', () => {
  base('loses nothing: the question stays, and its answer is found later', async ({ mcp, agent, alice }) => {
    // As after 60 seconds, without waiting for them.
    const gone = new AbortController()
    const asked = agent.call('ask_human', { chat: alice.id, ...question, key: 'k' }, { signal: gone.signal })
    const refused = asked.then(
      () => 'answered',
      () => 'gave up',
    )
    const shown = await sees(alice, 'Go?')
    gone.abort()
    expect(await refused).toBe('gave up')
    await press(alice, shown, 'Yes')
    const again = await (await mcp.agent()).ok('ask_human', { chat: alice.id, ...question, key: 'k' })
    expect(again).toMatchObject({ status: 'answered', label: 'Yes' })
    expect(alice.texts(mcp.toBot).filter(text => text.startsWith('Go?'))).toHaveLength(1)
  })

  base('after its own timeout frees its place', async ({ agent, alice, mcp }) => {
    await expect(agent.call('ask_human', { chat: alice.id, ...question }, { timeout: 1 })).rejects.toThrow(/timed out/i)
    await expect.poll(async () => (await mcp.gateway.api('GET', '/v1/me')).status, SOON).toBe(200)
    expect(await agent.ok('list_chats')).toBeDefined()
  })
})

describe('[MCP-3.5] a question', () => {
  base('survives a stop, and a press while the gateway was off counts', async ({ mcp, agent, alice }) => {
    const { ask_id } = await agent.ok('ask_human', { chat: alice.id, ...question, wait_seconds: 0 })
    const shown = await sees(alice, 'Go?')
    await mcp.restart({}, () => press(alice, shown, 'No'))
    const later = await mcp.agent()
    expect(await later.ok('wait_answer', { ask_id })).toMatchObject({ status: 'answered', label: 'No' })
    expect((await seesEnd(alice, shown)).buttons).toBeUndefined()
    await mcp.restart()
    expect(await (await mcp.agent()).ok('wait_answer', { ask_id })).toMatchObject({ label: 'No' })
  })

  base(
    'whose row was written, and whose message was not sent, is sent after the kill',
    async ({ mcp, agent, alice }) => {
      // The relay gets nothing of it: the disk has the row alone.
      mcp.gateway.wire.outgoing = frame => (isAppend(frame) ? [] : [frame])
      const asking = agent.call('ask_human', { chat: alice.id, ...question, key: 'k' }).catch(() => undefined)
      await expect.poll(() => mcp.gateway.client.records('mcp-asks').all().length, SOON).toBe(1)
      await mcp.kill()
      await asking
      const shown = await sees(alice, 'Go?')
      await press(alice, shown, 'Yes')
      const again = await (await mcp.agent()).ok('ask_human', { chat: alice.id, ...question, key: 'k' })
      expect(again).toMatchObject({ label: 'Yes' })
      expect(alice.texts(mcp.toBot).filter(text => text.startsWith('Go?'))).toHaveLength(1)
    },
  )

  base(
    'whose message was sent, and not noted, is not asked again, and a press counts',
    async ({ mcp, agent, alice }) => {
      let disk = ''
      mcp.gateway.wire.outgoing = frame => {
        // The disk as it is when the message leaves.
        if (isAppend(frame) && disk === '') disk = mcp.diskNow()
        return [frame]
      }
      const { ask_id } = await agent.ok('ask_human', { chat: alice.id, ...question, wait_seconds: 0, key: 'k' })
      const shown = await sees(alice, 'Go?')
      await press(alice, shown, 'Yes')
      await mcp.kill(disk)
      expect(await (await mcp.agent()).ok('wait_answer', { ask_id })).toMatchObject({
        status: 'answered',
        label: 'Yes',
      })
      await seesEnd(alice, shown)
      expect(alice.texts(mcp.toBot).filter(text => text.startsWith('Go?'))).toHaveLength(1)
    },
  )
})

timed(
  '[MCP-3.6] a question that nobody answers is expired, whatever the clock is set to',
  async ({ mcp, agent, alice, clock }) => {
    const asked = { chat: alice.id, ...question, wait_seconds: 0, expires_minutes: 60, key: 'k' }
    const { ask_id } = await agent.ok('ask_human', asked)
    const shown = await sees(alice, 'Go?')
    clock.set(3 * DAY_MS)
    clock.advance(mcpLimits.lookEveryMs)
    expect(await agent.ok('wait_answer', { ask_id, wait_seconds: 0 })).toMatchObject({ status: 'pending' })
    clock.set(-6 * DAY_MS)
    clock.leap(3_600_000)
    await passTime(clock, backOnline(mcp))
    await expect
      .poll(() => agent.ok('wait_answer', { ask_id, wait_seconds: 0 }), SOON)
      .toEqual({ status: 'expired', ask_id })
    expect((await passTime(clock, seesEnd(alice, shown))).text).toBe(
      'Go?\n\n⌛ Nobody answered, and the question is closed.',
    )
    // The same key is the same question: only a new one asks again.
    expect(await agent.ok('ask_human', asked)).toEqual({ status: 'expired', ask_id })
  },
)

timed(
  '[MCP-3.6] a press after the end gets a toast, and changes nothing',
  async ({ mcp, agent, alice, clock, late }) => {
    const { ask_id } = await agent.ok('ask_human', { chat: alice.id, ...question, wait_seconds: 0, expires_minutes: 1 })
    const pressed = await late(await sees(alice, 'Go?'), 'Yes', async () => {
      clock.advance(60_000)
      await passTime(clock, backOnline(mcp))
      await expect
        .poll(async () => (await agent.ok('wait_answer', { ask_id, wait_seconds: 0 }))['status'], SOON)
        .toBe('expired')
    })
    expect(await toastOf(alice, pressed)).toBe('The time for an answer is over.')
    expect(await agent.ok('wait_answer', { ask_id })).toEqual({ status: 'expired', ask_id })
  },
)

timed(
  '[MCP-3.6] a press after the end is late, also if it is read before the end is stored',
  async ({ mcp, agent, alice, clock, onTestFinished }) => {
    const { client } = mcp.gateway
    const { ask_id } = await agent.ok('ask_human', { chat: alice.id, ...question, wait_seconds: 0, expires_minutes: 1 })
    const shown = await sees(alice, 'Go?')
    const writes = Object.getPrototypeOf(client.records(MCP_SHELF)) as Records
    const { change } = writes
    const isPressed = () => client.journal.read(0, 100).some(({ json }) => json.includes('"type":"button"'))
    const spy = vi.spyOn(writes, 'change').mockImplementation(async function (this: Records, ...changes) {
      if (!isPressed() && changes.some(({ key }) => key === ask_id)) throw new CodedError('storage-full')
      await change.apply(this, changes)
    })
    onTestFinished(() => spy.mockRestore())
    clock.advance(60_000)
    await passTime(clock, backOnline(mcp))
    expect(await agent.ok('wait_answer', { ask_id, wait_seconds: 0 })).toMatchObject({ status: 'pending' })
    const pressed = await press(alice, shown, 'Yes')
    expect(await passTime(clock, toastOf(alice, pressed))).toBe('The time for an answer is over.')
    expect(await agent.ok('wait_answer', { ask_id })).toEqual({ status: 'expired', ask_id })
  },
)

describe('[MCP-3.11] answers count', () => {
  base('with UPDATES=off', async ({ mcp, alice }) => {
    await mcp.restart({ UPDATES: 'off' })
    const asked = (await mcp.agent()).ok('ask_human', { chat: alice.id, ...question })
    await press(alice, await sees(alice, 'Go?'), 'Yes')
    expect(await asked).toMatchObject({ label: 'Yes' })
  })

  base('with a webhook that does not answer', async ({ mcp, alice }) => {
    await mcp.restart({ WEBHOOK_URL: 'http://127.0.0.1:9/', WEBHOOK_SECRET: 'a-secret-of-the-webhook' })
    const asked = (await mcp.agent()).ok('ask_human', { chat: alice.id, question: 'Why?' })
    await reply(alice, await sees(alice, 'Why?'), 'because')
    expect(await asked).toMatchObject({ text: { value: 'because' } })
  })

  base('after runs without MCP, in which the journal did not grow', async ({ mcp, alice }) => {
    await mcp.restart({ MCP: 'off', UPDATES: 'off' })
    await alice.say(mcp.toBot, 'meanwhile')
    const left = () => mcp.gateway.client.journal.read(0, 10).length
    await expect.poll(left, SOON).toBe(0)
    await mcp.restart()
    const asked = (await mcp.agent()).ok('ask_human', { chat: alice.id, ...question })
    await press(alice, await sees(alice, 'Go?'), 'No')
    expect(await asked).toMatchObject({ label: 'No' })
  })
})

timed(
  '[MCP-3.13] without the relay a question is pending, and is sent when it is back',
  async ({ mcp, agent, alice, clock }) => {
    mcp.gateway.wire.cut()
    await expect.poll(() => mcp.gateway.client.isOnline, SOON).toBe(false)
    const asked = agent.ok('ask_human', { chat: alice.id, ...question, wait_seconds: 0 })
    const { ask_id, status, hint } = await passTime(clock, asked)
    expect([status, hint]).toEqual(['pending', expect.stringContaining('not reached the chat yet')])
    mcp.gateway.wire.mend()
    await passTime(clock, backOnline(mcp))
    await press(alice, await passTime(clock, sees(alice, 'Go?')), 'Yes')
    expect(await agent.ok('wait_answer', { ask_id })).toMatchObject({ label: 'Yes' })
  },
)
